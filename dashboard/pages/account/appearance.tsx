import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import {
  areShortcutsEnabled,
  getTheme,
  setShortcutsEnabled,
  setTheme,
  subscribeToPreferences,
  themes,
} from '../../app/browser/preferences.ts';
import { ShortcutList } from '../../app/keyboard/shortcut-list.tsx';
import { SegmentedControl } from '../../components/button/segmented-control.tsx';
import styles from './account.module.css';

const shown = {
  system: { name: 'Match the system', icon: Monitor },
  light: { name: 'Light', icon: Sun },
  dark: { name: 'Dark', icon: Moon },
};

const options = themes.map((theme) => {
  const { name, icon: Icon } = shown[theme];
  const option = (
    <>
      <Icon aria-hidden="true" />
      {name}
    </>
  );
  return [theme, option] as const;
});

/** Light or dark, in this browser. */
export function Theme() {
  const chosen = useSyncExternalStore(subscribeToPreferences, getTheme);
  const label = 'Theme in this browser';
  return (
    <div className={styles.theme}>
      <span aria-hidden="true">{label}</span>
      <SegmentedControl label={label} options={options} value={chosen} onChoose={setTheme} />
    </div>
  );
}

export function Keyboard() {
  const wanted = useSyncExternalStore(subscribeToPreferences, areShortcutsEnabled);
  return (
    <>
      <label className={styles.check}>
        <input type="checkbox" checked={wanted} onChange={(event) => setShortcutsEnabled(event.target.checked)} />
        Single-letter shortcuts
      </label>
      <ShortcutList />
    </>
  );
}
