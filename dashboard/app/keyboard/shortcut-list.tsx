import styles from './shortcut-list.module.css';
import { shortcuts } from './shortcuts.ts';

export const ShortcutList = () => (
  <ul className={styles.list}>
    {shortcuts.map(({ keys, does }) => (
      <li key={does}>
        <span>{does}</span>
        <span className={styles.keys}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      </li>
    ))}
  </ul>
);
