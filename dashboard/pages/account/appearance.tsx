import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import {
  chooseShortcuts,
  chooseTheme,
  preferredTheme,
  subscribeToPreferences,
  themes,
  wantsShortcuts,
} from '../../app/preferences.ts';
import { ShortcutList } from '../../app/shortcut-list.tsx';
import styles from './account.module.css';

const shown = {
  system: { name: 'As the system', icon: Monitor },
  light: { name: 'Light', icon: Sun },
  dark: { name: 'Dark', icon: Moon },
};

/** Light or dark, in this browser. */
export function Theme() {
  const chosen = useSyncExternalStore(subscribeToPreferences, preferredTheme);
  return (
    <fieldset className={styles.segments}>
      <legend>Theme in this browser</legend>
      {themes.map((theme) => {
        const { name, icon: Icon } = shown[theme];
        return (
          <label key={theme} className={styles.segment}>
            <input type="radio" name="theme" checked={chosen === theme} onChange={() => chooseTheme(theme)} />
            <Icon aria-hidden="true" />
            {name}
          </label>
        );
      })}
    </fieldset>
  );
}

export function Keyboard() {
  const wanted = useSyncExternalStore(subscribeToPreferences, wantsShortcuts);
  return (
    <>
      <label className={styles.check}>
        <input type="checkbox" checked={wanted} onChange={(event) => chooseShortcuts(event.target.checked)} />
        Shortcuts of single letters
      </label>
      <ShortcutList />
    </>
  );
}
