import type { Option } from 'commander';
import { z } from 'zod';
import { extractionBy } from '../../../../shared/domain/after-call/analysis-schema.ts';
import { type Assistant, DEFAULT_MAX_DURATION_SECONDS } from '../../../../shared/domain/organizations/assistant.ts';
import { isE164 } from '../../../../shared/domain/text/phone-number.ts';
import { fileContent, invalid, jsonObject } from '../../values.ts';
import { optional } from '../../verb.ts';

const LEAST_DURATION = 10;
const MOST_DURATION = 3_600;
/** DynamoDB limits an item to 400 KB; the entries of the knowledge base need the rest. */
const MOST_CHARACTERS = 150_000;

export type DefinitionFlags = {
  name?: string;
  prompt?: string;
  firstMessage?: string;
  voice?: string;
  language?: string;
  transferNumber?: string;
  maxDuration?: string;
  file?: string;
};

export const definitionOptions: Option[] = [
  optional('--name <text>', 'name'),
  optional('--prompt <text>', 'instructions; may contain {{variables}}'),
  optional('--first-message <text>', 'first sentence of a call'),
  optional('--voice <id>', 'voice of the platform'),
  optional('--language <code>', 'language, such as en or hi'),
  optional('--transfer-number <number>', 'E.164 number that takes over a call (update: "none" removes it)'),
  optional(
    '--max-duration <seconds>',
    `longest call, ${LEAST_DURATION} to ${MOST_DURATION} (create: ${DEFAULT_MAX_DURATION_SECONDS} by default)`,
  ),
  optional('--file <path>', 'JSON file with the definition; flags override it'),
];

const characters = (most: number) => z.string().trim().min(1).max(most);

const definitionSchema = z
  .strictObject({
    name: characters(200),
    prompt: characters(100_000),
    first_message: characters(5_000),
    voice: characters(100),
    language: characters(35),
    transfer_number: z.string().refine(isE164, 'must be an E.164 number such as +918012345678'),
    max_duration_seconds: z.int().min(LEAST_DURATION).max(MOST_DURATION),
    success_criteria: characters(10_000),
    analysis_schema: z
      .looseObject({
        type: z.literal('object'),
        properties: z.record(z.string(), z.looseObject({})),
      })
      .superRefine((schema, context) => {
        const extraction = extractionBy(schema);
        if ('problem' in extraction) context.addIssue({ code: 'custom', message: extraction.problem });
      }),
  })
  .partial();

export type Definition = Partial<Omit<Assistant, 'assistant_id' | 'org_id' | 'knowledge_base' | 'created_at'>>;

/** Reads the file and the flags. @throws Refusal naming every member that is unknown or wrong. */
export async function readDefinition(flags: DefinitionFlags): Promise<Definition> {
  const definition = { ...(await readFile(flags.file)), ...fromFlags(flags) };
  const parsed = definitionSchema.safeParse(definition);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
    throw invalid(`The definition is invalid. ${issues.join('; ')}.`);
  }
  if (JSON.stringify(definition).length > MOST_CHARACTERS)
    throw invalid(`The definition must have at most ${MOST_CHARACTERS} characters.`);
  return parsed.data as Definition;
}

async function readFile(path: string | undefined): Promise<object> {
  if (path === undefined) return {};
  return jsonObject(`--file ${path}`, (await fileContent('--file', path)).toString('utf8'));
}

function fromFlags(flags: DefinitionFlags): object {
  const members = {
    name: flags.name,
    prompt: flags.prompt,
    first_message: flags.firstMessage,
    voice: flags.voice,
    language: flags.language,
    transfer_number: flags.transferNumber,
    max_duration_seconds: flags.maxDuration === undefined ? undefined : readSeconds(flags.maxDuration),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function readSeconds(value: string): number {
  if (!/^\d+$/.test(value))
    throw invalid(`--max-duration must be a whole number from ${LEAST_DURATION} to ${MOST_DURATION}, not "${value}".`);
  return Number(value);
}
