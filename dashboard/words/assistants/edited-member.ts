import { excerptAtDifference } from '../../../shared/domain/text/excerpt.ts';
import { formatDuration } from '../times.ts';
import type { memberNames } from './assistants.ts';

const SHOWN_CHARACTERS = 300;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** @returns a member's value as text; if it is long, only the part that differs from the other value */
export function formatEditedMember(name: keyof typeof memberNames, value: unknown, other: unknown): string {
  if (value === null || value === undefined) return 'removed';
  if (name === 'max_duration_seconds') return formatDuration(Number(value));
  return excerptAtDifference(textOf(value), textOf(other), SHOWN_CHARACTERS);
}
