import { excerptAtDifference } from '../../text/excerpt.ts';
import { maskPhone } from '../../text/phone-number.ts';
import type { Definition } from './assistant-definition.ts';

/**
 * The longest text that is shown whole. A longer one is cut to the part that changed (docs/dashboard.md, "Assistants").
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
  const [former, current] = [part(before, after), part(after, before)];
  // Two numbers may have the same mask.
  if (current.transfer_number !== undefined && current.transfer_number === former.transfer_number)
    current.transfer_number = `${current.transfer_number} (another number)`;
  return { names: changed, before: former, after: current };
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function shown(name: keyof Definition, value: unknown, other: unknown): unknown {
  if (name === 'transfer_number') return maskPhone(textOf(value));
  if (typeof value === 'number') return value;
  const [text, otherText] = [textOf(value), textOf(other)];
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${excerptAtDifference(text, otherText, SHOWN_CHARACTERS)} (${text.length} characters)`;
}
