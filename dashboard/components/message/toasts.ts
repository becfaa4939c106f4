import { ApiError } from '../../app/api/api-error.ts';
import { describeError } from '../../words/errors.ts';

export type Toast = { id: number; text: string; isFailure?: true; requestId?: string | undefined };

const SHOWN_MILLISECONDS = 6_000;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(more: Omit<Toast, 'id'>): number {
  last += 1;
  const confirmations = toasts.filter(({ isFailure }) => !isFailure).slice(-2);
  put([...toasts.filter((one) => one.isFailure || confirmations.includes(one)), { id: last, ...more }]);
  return last;
}

/** Confirms an action in one sentence, for some seconds. */
export function toast(text: string): void {
  const id = show({ text });
  setTimeout(() => dismiss(id), SHOWN_MILLISECONDS);
}

/**
 * Reports a failed action that has no card or dialog, until the person dismisses it.
 * @param what the missing effect, as a sentence
 */
export function toastFailure(what: string, error: unknown): void {
  const { sentence, fix } = describeError(error);
  const text = `${what} ${sentence} ${fix}`.trim();
  dismissAll((one) => one.isFailure === true && one.text === text);
  show({ text, isFailure: true, requestId: error instanceof ApiError ? error.requestId : undefined });
}

const dismissAll = (is: (one: Toast) => boolean): void => put(toasts.filter((one) => !is(one)));

export const dismiss = (id: number): void => dismissAll((one) => one.id === id);

export const shownToasts = (): readonly Toast[] => toasts;

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
