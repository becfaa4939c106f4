import styles from './shortcut-list.module.css';
import { shortcuts } from './shortcuts.ts';

/** Not a single letter, so it always works. */
const search = { keys: ['Ctrl / ⌘', 'K'], description: 'Search and go' };

export const ShortcutList = () => (
  <ul className={styles.list}>
    {[search, ...shortcuts].map(({ keys, description }) => (
      <li key={description}>
        <span>{description}</span>
        <span className={styles.keys}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      </li>
    ))}
  </ul>
);
