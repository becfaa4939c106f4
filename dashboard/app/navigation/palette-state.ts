import type { ComponentType } from 'react';
import { toastFailure } from '../../components/message/toasts.ts';
import { ApiError } from '../api/api-error.ts';

type Palette = ComponentType<{ onClose: () => void }>;

let shown: Palette | undefined;
const listeners = new Set<() => void>();

function set(palette: Palette | undefined): void {
  shown = palette;
  for (const listener of listeners) listener();
}

/** Loads the palette and shows it. A failure must not replace the page, which may contain typed text. */
export const openPalette = (): Promise<void> =>
  import('./command-palette.tsx').then(
    ({ CommandPalette }) => set(CommandPalette),
    () => toastFailure('The search did not open.', new ApiError({ status: 0, code: 'network' })),
  );
export const closePalette = (): void => set(undefined);

/** @returns undefined while it is closed */
export const shownPalette = (): Palette | undefined => shown;

export function subscribeToPalette(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
