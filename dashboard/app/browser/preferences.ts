import { readStored, writeStored } from './storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

let theme: Theme = themes.find((one) => one === readStored('theme')) ?? 'system';
let shortcutsEnabled = readStored('shortcuts') !== 'off';
const listeners = new Set<() => void>();

export const getTheme = (): Theme => theme;
export const areShortcutsEnabled = (): boolean => shortcutsEnabled;

export function subscribeToPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Applies a theme; theme.js does so before the first paint of the next load. */
export function setTheme(chosen: Theme): void {
  theme = chosen;
  writeStored('theme', chosen === 'system' ? null : chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  for (const listener of listeners) listener();
}

export function setShortcutsEnabled(wanted: boolean): void {
  shortcutsEnabled = wanted;
  writeStored('shortcuts', wanted ? null : 'off');
  for (const listener of listeners) listener();
}
