/** What a template may name, in the order in which a name is looked up. */
export type TemplateSources = readonly Readonly<Record<string, unknown>>[];

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Renders `{key}` in one pass: what a value says is never read as a template (interface, "Help-desk connection settings"), nor
 * as HTML, although the help desk may show the whole as that. Markup of the template itself is the customer's own.
 * @param sources the first one that has a value for a key gives it; keys that nobody knows render empty.
 */
export const renderTemplate = (template: string, sources: TemplateSources): string =>
  template.replace(PLACEHOLDER, (_match, key: string) => withoutMarkup(inWords(lookedUp(key.trim(), sources))));

/** Look-alikes, not entities: those are readable only where the help desk does show HTML. */
const withoutMarkup = (text: string): string => text.replace(/</g, '‹').replace(/>/g, '›');

function lookedUp(key: string, sources: TemplateSources): unknown {
  // Own members alone: a customer's template must not reach what every object has.
  const source = sources.find((each) => Object.hasOwn(each, key) && each[key] !== null && each[key] !== undefined);
  return source?.[key];
}

/** @returns a value as a person reads it in a sentence: lists of words with commas, whatever has members as JSON. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((each) => Object(each) !== each))
    return value
      .map(inWords)
      .filter((text) => text !== '')
      .join(', ');
  return JSON.stringify(value);
}
