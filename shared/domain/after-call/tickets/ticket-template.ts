import { writtenNumber } from '../../text/exact-json.ts';
import { withoutMarkup } from '../../text/plain-text.ts';

/** The values that a template may name, in the order of the lookup. */
export type TemplateSources = readonly Readonly<Record<string, unknown>>[];

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Renders `{key}` in one pass, so that a value is never read as a template (docs/help-desk.md, "Templates"). Values
 * lose their markup, because the help desk may show the text as HTML; the template's own markup stays.
 * @param sources the first source that has a value for a key provides it; unknown keys render empty.
 */
export const renderTemplate = (template: string, sources: TemplateSources): string =>
  template.replace(PLACEHOLDER, (_match, key: string) => withoutMarkup(readableText(lookedUp(key.trim(), sources))));

function lookedUp(key: string, sources: TemplateSources): unknown {
  // A customer's template must not reach inherited members such as `constructor`.
  const source = sources.find((each) => Object.hasOwn(each, key) && each[key] !== null && each[key] !== undefined);
  return source?.[key];
}

/** Returns a value as readable text: a list of scalars with commas, every other object as JSON. */
export function readableText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((each) => Object(each) !== each || writtenNumber(each) !== undefined))
    return value
      .map(readableText)
      .filter((text) => text !== '')
      .join(', ');
  return JSON.stringify(value);
}
