export type Toast = { id: number; text: string };

const SHOWN_MILLISECONDS = 6_000;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Confirms a deed in one sentence. What needs an answer is no toast. */
export function toast(text: string): void {
  last += 1;
  const id = last;
  put([...toasts.slice(-2), { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_MILLISECONDS);
}

export const dismiss = (id: number): void => put(toasts.filter((one) => one.id !== id));

export const shownToasts = (): readonly Toast[] => toasts;

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
