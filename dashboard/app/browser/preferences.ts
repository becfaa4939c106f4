import { readStored, store } from './storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

let theme: Theme = themes.find((one) => one === readStored('theme')) ?? 'system';
let hasShortcuts = readStored('shortcuts') !== 'off';
const listeners = new Set<() => void>();

export const preferredTheme = (): Theme => theme;
export const wantsShortcuts = (): boolean => hasShortcuts;

export function subscribeToPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Applies a theme; theme.js does so before the first paint of the next load. */
export function chooseTheme(chosen: Theme): void {
  theme = chosen;
  store('theme', chosen === 'system' ? null : chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  for (const listener of listeners) listener();
}

export function chooseShortcuts(wanted: boolean): void {
  hasShortcuts = wanted;
  store('shortcuts', wanted ? null : 'off');
  for (const listener of listeners) listener();
}
