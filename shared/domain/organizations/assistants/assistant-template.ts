import { writtenNumber } from '../../text/exact-json.ts';
import { plainText } from '../../text/plain-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { closeGaps } from './close-gaps.ts';

/** The values of a call that templates may use, by name. */
export type Variables = Readonly<Record<string, string>>;

const MAX_CHARACTERS_OF_A_VALUE = 500;
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/**
 * Builds the variables of a client's call from the string, number and boolean members of its metadata. Values are cut
 * to 500 characters and lose their braces, so that neither the service nor the platform reads them as templates. They
 * are the client's own words, and may be spoken (docs/decisions/0027-only-names-are-said.md).
 */
export function variablesOf(metadata: Readonly<Record<string, unknown>>): Variables {
  const entries = Object.entries(metadata).flatMap(([name, member]) => {
    const value = writtenNumber(member) ?? member;
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, plain(String(value))] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns a value without invisible characters and braces, cut to 500 characters. */
export const plain = (value: string): string =>
  plainText(visibleText(value).replace(/[{}]/g, ''), MAX_CHARACTERS_OF_A_VALUE);

/**
 * Renders `{{name}}` and `{{name|default}}` in one pass, so that values are never read as templates. A name without a
 * value becomes its default. Without a default, the sentence closes up around it. Remaining template marks are broken
 * up, because the platform would interpret them.
 */
export function render(template: string, variables: Variables): string {
  const parts: (string | undefined)[] = [];
  let from = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const { name, fallback } = insideOf(match);
    const value = Object.hasOwn(variables, name) ? variables[name]?.trim() : undefined;
    parts.push(template.slice(from, match.index), value || fallback || undefined);
    from = match.index + match[0].length;
  }
  parts.push(template.slice(from));
  return closeGaps(parts).replace(/\{(?=[{%])/g, '{ ');
}

/** Returns the names of the variables that a template uses, each once, in their order. */
export const variablesIn = (template: string): string[] => namesWhere(template, () => true);

/** Returns the names of the variables that a template uses somewhere without a default. */
export const withoutDefault = (template: string): string[] => namesWhere(template, ({ fallback }) => fallback === '');

/**
 * Returns whether a template has braces that are not a variable: `{{name`, `{{}}`, `{{|there}}`. They are spoken as
 * written.
 */
export const hasBrokenMarks = (template: string): boolean =>
  [...template.matchAll(PLACEHOLDER)].some((match) => insideOf(match).name === '') ||
  /\{\{|\}\}/.test(template.replace(PLACEHOLDER, ''));

type Inside = { name: string; fallback: string };

function insideOf([, inside = '']: RegExpMatchArray): Inside {
  const [name = '', ...rest] = inside.split('|');
  return { name: name.trim(), fallback: rest.join('|').trim() };
}

function namesWhere(template: string, isWanted: (inside: Inside) => boolean): string[] {
  const wanted = [...template.matchAll(PLACEHOLDER)].map(insideOf).filter(isWanted);
  return [...new Set(wanted.map(({ name }) => name))].filter((name) => name !== '');
}
