import * as z from 'zod/mini';

/**
 * A character that is neither white space nor a control character. The class lists the characters that not every
 * regular-expression engine counts as white space, because clients validate with the published schema.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text of them alone is refused
const VISIBLE = /[^\s\u0000-\u001f\u007f-\u009f\ufeff]/;

/** Marks that change the direction of the text around a name: a sentence with them would be shown backwards. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Builds the schema of a text with a visible character. Surrounding white space and direction marks are removed. The
 * maximum length applies before that, as in the published schema.
 * @param problem the message of every refusal; undefined for zod's
 */
export const trimmedText = (most: number, problem?: string): z.ZodMiniString<string> =>
  z.string(problem && 'must be text').check(
    z.maxLength(most, problem),
    z.overwrite((text) => text.replace(DIRECTIONS, '')),
    z.trim(),
    z.minLength(1, { ...(problem && { error: problem }), abort: true }),
    z.regex(VISIBLE, problem ?? 'must have a visible character'),
  );
