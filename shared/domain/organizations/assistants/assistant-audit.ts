import { excerptAtDifference } from '../../text/excerpt.ts';
import { maskPhone } from '../../text/phone-number.ts';
import type { Definition } from './assistant-definition.ts';

/**
 * The longest text that is shown whole. Of a longer one, the part that changed is shown (docs/dashboard.md,
 * "Assistants").
 */
const SHOWN_CHARACTERS = 200;

type Shown = Record<string, unknown>;

/**
 * Describes the members of a definition that differ, for the audit log. A long text is cut to 200 characters around its
 * first difference, with its length. Numbers are masked.
 * @returns the same members on both sides; a member that one side lacks is left out on that side.
 */
export function definitionChange(
  before: Definition,
  after: Definition,
): { names: string[]; before: Shown; after: Shown } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Definition)[];
  const changed = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  const part = (own: Definition, other: Definition): Shown =>
    Object.fromEntries(
      changed.flatMap((name) => (own[name] === undefined ? [] : [[name, shown(name, own[name], other[name])]])),
    );
  const [old, made] = [part(before, after), part(after, before)];
  // Two numbers may have the same mask.
  if (made.transfer_number !== undefined && made.transfer_number === old.transfer_number)
    made.transfer_number = `${made.transfer_number} (another number)`;
  return { names: changed, before: old, after: made };
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function shown(name: keyof Definition, value: unknown, other: unknown): unknown {
  if (name === 'transfer_number') return maskPhone(textOf(value));
  if (typeof value === 'number') return value;
  const [text, without] = [textOf(value), textOf(other)];
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${excerptAtDifference(text, without, SHOWN_CHARACTERS)} (${text.length} characters)`;
}
