import * as z from 'zod/mini';
import { isE164 } from '../../text/phone-number.ts';
import { trimmedText } from '../../text/trimmed-text.ts';
import { readAnalysisSchema } from './analysis-schema.ts';
import type { Assistant } from './assistant.ts';
import { DEFAULT_MAX_DURATION_SECONDS, firstMessageOf, MAX_DURATION, MIN_DURATION } from './assistant-defaults.ts';

/** DynamoDB limits an item to 400 KB; the entries of the knowledge base need the rest. */
const MAX_CHARACTERS = 150_000;

/** The maximum length of each text, in characters. */
export const mostCharacters = {
  name: 200,
  prompt: 100_000,
  first_message: 5_000,
  voice: 100,
  language: 35,
  success_criteria: 10_000,
} as const;

const text = (most: number) => trimmedText(most, `must have 1 to ${most} characters`);

const seconds = `must be a whole number of seconds from ${MIN_DURATION} to ${MAX_DURATION}`;

const analysisSchema = z
  .looseObject(
    {
      type: z.literal('object', 'must be "object"'),
      properties: z.record(z.string(), z.looseObject({}, 'must be a JSON Schema'), 'must be an object of fields'),
    },
    'must be a JSON Schema of an object',
  )
  .check(({ value, issues }) => {
    const read = readAnalysisSchema(value);
    if (!read.ok) issues.push({ code: 'custom', input: value, message: read.problem });
  });

/** The definition of an assistant as a person writes it, by page, file or flags (docs/dashboard.md, "Assistants"). */
export const definitionShape = {
  name: text(mostCharacters.name),
  prompt: text(mostCharacters.prompt),
  first_message: text(mostCharacters.first_message),
  voice: text(mostCharacters.voice),
  language: text(mostCharacters.language),
  transfer_number: z
    .string('must be text')
    .check(z.refine(isE164, 'must be a phone number with its country code, such as +918012345678')),
  max_duration_seconds: z.int(seconds).check(z.gte(MIN_DURATION, seconds), z.lte(MAX_DURATION, seconds)),
  success_criteria: text(mostCharacters.success_criteria),
  analysis_schema: analysisSchema,
};

type DefinitionMember = keyof typeof definitionShape;
export const definitionMembers = Object.keys(definitionShape) as DefinitionMember[];

/** The optional members, which a change may remove. */
export const removableMembers = [
  'voice',
  'language',
  'transfer_number',
  'success_criteria',
  'analysis_schema',
] as const satisfies DefinitionMember[];
export type RemovableMember = (typeof removableMembers)[number];

export type Definition = Partial<Pick<Assistant, DefinitionMember>>;

/** The refusal of a definition that is too large together with its knowledge base. */
export const DOES_NOT_FIT = 'The definition does not fit: shorten the prompt, or remove entries of the knowledge base.';

/** Returns whether a definition as a whole is short enough. */
export const isWithinLength = (definition: unknown): boolean => JSON.stringify(definition).length <= MAX_CHARACTERS;
export const TOO_LONG = `The definition must have at most ${MAX_CHARACTERS} characters.`;

const definitionSchema = z.partial(
  z.strictObject(definitionShape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `Unrecognized key: ${issue.keys.join(', ')}` : undefined),
  }),
);

/**
 * Validates a definition.
 * @returns its trimmed members, or a sentence that names every unknown or invalid member
 */
export function readDefinition(value: object): { ok: true; definition: Definition } | { ok: false; problem: string } {
  const parsed = definitionSchema.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
    return { ok: false, problem: `The definition is invalid. ${issues.join('; ')}.` };
  }
  if (!isWithinLength(value)) return { ok: false, problem: TOO_LONG };
  return { ok: true, definition: parsed.data as Definition };
}

/** Adds the defaults to the definition of a new assistant. */
export const completeDefinition = ({ name, ...given }: Definition & { name: string }) => ({
  name,
  prompt: `You are ${name}, a polite voice assistant on the phone. Keep every answer short.`,
  first_message: firstMessageOf(name),
  max_duration_seconds: DEFAULT_MAX_DURATION_SECONDS,
  ...given,
});
