import type { Command } from 'commander';
import { z } from 'zod';
import { extractionBy } from '../../shared/domain/after-call/analysis-schema.ts';
import { type Assistant, DEFAULT_MAX_DURATION_SECONDS } from '../../shared/domain/organizations/assistant.ts';
import { isE164 } from '../../shared/domain/text/phone-number.ts';
import { createAssistant } from '../../shared/operations/organizations/create-assistant.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, needsSome, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { findOrg } from './org.ts';
import { facts, table } from './output.ts';
import { invalid, jsonFile } from './values.ts';

const LEAST_DURATION = 10;
const MOST_DURATION = 3_600;
/** An item may have 400 KB (DynamoDB, quotas); the definition leaves room for the knowledge base's entries. */
const MOST_DEFINITION_CHARACTERS = 150_000;

const words = (most: number) => z.string().trim().min(1).max(most);

const definitionSchema = z
  .strictObject({
    name: words(200),
    prompt: words(100_000),
    first_message: words(5_000),
    voice: words(100),
    language: words(35),
    transfer_number: z.string().refine(isE164, 'must be an E.164 number such as +918012345678'),
    max_duration_seconds: z.int().min(LEAST_DURATION).max(MOST_DURATION),
    success_criteria: words(10_000),
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

type Definition = Partial<Omit<Assistant, 'assistant_id' | 'org_id' | 'knowledge_base' | 'created_at'>>;

type Flags = {
  name?: string;
  prompt?: string;
  firstMessage?: string;
  voice?: string;
  language?: string;
  transferNumber?: string;
  maxDuration?: string;
  file?: string;
};

/** What `assistant update` takes away again where it is set to `none`. */
const removable = ['voice', 'language', 'transfer_number'] as const;
const flagOf = { voice: 'voice', language: 'language', transfer_number: 'transferNumber' } as const;
const TAKEN_AWAY = 'none';

/** Assistants: who conducts the calls. */
export function addAssistant(program: Command): void {
  const noun = program.command('assistant').description('who conducts the calls');
  defined(verb(noun, 'create', 'a new assistant').requiredOption('--org <id>', 'the org')).action(
    acting<Flags & { org: string }>(create),
  );
  verb(noun, 'show', 'an assistant')
    .requiredOption('--assistant <id>', 'the assistant')
    .action(acting<{ assistant: string }>(async (cloud, flags) => show(await findAssistant(cloud, flags.assistant))));
  verb(noun, 'list', 'the assistants of an org')
    .requiredOption('--org <id>', 'the org')
    .action(acting<{ org: string }>(list));
  defined(
    verb(noun, 'update', 'changes an assistant; what is not named stays').requiredOption(
      '--assistant <id>',
      'the assistant',
    ),
  ).action(acting<Flags & { assistant: string }>(update));
}

const defined = (command: Command): Command =>
  command
    .option('--name <text>', 'its name')
    .option('--prompt <text>', 'what it is told; may name {{variables}}')
    .option('--first-message <text>', 'what it says first')
    .option('--voice <id>', "the platform's voice")
    .option('--language <code>', 'such as en or hi')
    .option('--transfer-number <number>', 'E.164: who takes a call over (update: none takes it away)')
    .option(
      '--max-duration <seconds>',
      `${LEAST_DURATION} to ${MOST_DURATION} (a new one's default: ${DEFAULT_MAX_DURATION_SECONDS})`,
    )
    .option('--file <path>', 'a definition in JSON; flags stand over it');

/** Reads file and flags. @throws Refusal naming every member that is unknown or wrong. */
async function readDefinition(flags: Flags): Promise<Definition> {
  const file = flags.file === undefined ? {} : await jsonFile('--file', flags.file);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw invalid('--file must hold a JSON object.');
  const fromFlags = {
    name: flags.name,
    prompt: flags.prompt,
    first_message: flags.firstMessage,
    voice: flags.voice,
    language: flags.language,
    transfer_number: flags.transferNumber,
    max_duration_seconds: flags.maxDuration === undefined ? undefined : readSeconds(flags.maxDuration),
  };
  const given = Object.fromEntries(Object.entries(fromFlags).filter(([, value]) => value !== undefined));
  const definition = { ...file, ...given };
  const parsed = definitionSchema.safeParse(definition);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
    throw invalid(`The definition is not accepted. ${wrong.join('; ')}.`);
  }
  if (JSON.stringify(definition).length > MOST_DEFINITION_CHARACTERS)
    throw invalid(`The definition must not be longer than ${MOST_DEFINITION_CHARACTERS} characters.`);
  return parsed.data as Definition;
}

function readSeconds(value: string): number {
  if (!/^\d+$/.test(value))
    throw invalid(`--max-duration must be a whole number from ${LEAST_DURATION} to ${MOST_DURATION}, not "${value}".`);
  return Number(value);
}

async function create(cloud: Cloud, flags: Flags & { org: string }): Promise<Answer> {
  const { name, ...definition } = await readDefinition(flags);
  if (name === undefined) throw invalid('An assistant needs a name: give --name, or "name" in the file.');
  const { org_id } = await findOrg(cloud, flags.org);
  const assistant = await createAssistant(cloud, {
    org_id,
    name,
    prompt: `You are ${name}, a polite voice assistant on the phone. Keep every answer short.`,
    first_message: `Hello, this is ${name}.`,
    max_duration_seconds: DEFAULT_MAX_DURATION_SECONDS,
    ...definition,
  });
  return show(assistant, 'The assistant is created.');
}

/** @throws Refusal assistant_not_found. */
export async function findAssistant(cloud: Cloud, assistantId: string): Promise<Assistant> {
  const assistant = await cloud.assistants.get(assistantId);
  if (!assistant) throw notFound(assistantId);
  return assistant;
}

const notFound = (assistantId: string) =>
  new Refusal('assistant_not_found', `There is no assistant ${assistantId}: assistant list --org … shows them.`);

const view = (assistant: Assistant) => ({
  assistant_id: assistant.assistant_id,
  org_id: assistant.org_id,
  name: assistant.name,
  prompt: assistant.prompt,
  first_message: assistant.first_message,
  voice: assistant.voice ?? null,
  language: assistant.language ?? null,
  transfer_number: assistant.transfer_number ?? null,
  max_duration_seconds: assistant.max_duration_seconds,
  success_criteria: assistant.success_criteria ?? null,
  analysis_schema: assistant.analysis_schema ?? null,
  knowledge_base: assistant.knowledge_base,
  created_at: assistant.created_at,
});

function show(assistant: Assistant, sentence?: string): Answer {
  const json = view(assistant);
  const { knowledge_base, prompt, ...rest } = json;
  const files = knowledge_base.map(({ filename }) => filename);
  const people = `${facts({ ...rest, knowledge_base: files })}\n\nprompt:\n${prompt}`;
  return { json, people: sentence ? `${sentence}\n\n${people}` : people };
}

async function list(cloud: Cloud, flags: { org: string }): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const assistants = (await cloud.assistants.listOfOrg(org_id)).map(view);
  const rows = assistants.map((one) => [one.assistant_id, one.name, one.max_duration_seconds, one.created_at]);
  return {
    json: { assistants },
    people: table(['assistant_id', 'name', 'max_duration_seconds', 'created_at'], rows, 'The org has no assistant.'),
  };
}

async function update(
  cloud: Cloud,
  { assistant: assistantId, ...flags }: Flags & { assistant: string },
): Promise<Answer> {
  const taken = removable.filter((name) => flags[flagOf[name]] === TAKEN_AWAY);
  const kept = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== TAKEN_AWAY));
  const definition = await readDefinition(kept);
  needsSome({ ...definition, ...(taken.length > 0 && { taken }) }, '--name, --prompt, --file, … (see --help)');
  await findAssistant(cloud, assistantId);
  if (!(await cloud.assistants.update(assistantId, definition, taken))) throw notFound(assistantId);
  return show(await findAssistant(cloud, assistantId), 'The assistant is changed: the next dial uses it.');
}
