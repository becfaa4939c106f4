import * as z from 'zod/mini';

/**
 * A character that is neither white space nor a control character. The class lists the characters that not every
 * regular-expression engine counts as white space, because clients validate with the published schema.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text of them alone is refused
const VISIBLE = /[^\s\u0000-\u001f\u007f-\u009f\ufeff]/;

/**
 * Builds the schema of a text with a visible character, whose surrounding white space is removed. The maximum length
 * applies before that removal, as in the published schema.
 * @param problem the message of every refusal; undefined for zod's
 */
export const trimmedText = (most: number, problem?: string): z.ZodMiniString<string> =>
  z
    .string(problem && 'must be a text')
    .check(
      z.maxLength(most, problem),
      z.trim(),
      z.minLength(1, { ...(problem && { error: problem }), abort: true }),
      z.regex(VISIBLE, problem ?? 'must have a visible character'),
    );
