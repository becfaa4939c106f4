import type { Option } from 'commander';
import {
  DEFAULT_MAX_DURATION_SECONDS,
  MAX_DURATION,
  MIN_DURATION,
} from '../../../../shared/domain/organizations/assistants/assistant-defaults.ts';
import {
  type Definition,
  readDefinition,
} from '../../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { fileContent } from '../../input.ts';
import { invalid, jsonObject } from '../../values.ts';
import { optional } from '../../verb.ts';

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
    `longest call, ${MIN_DURATION} to ${MAX_DURATION} (create: ${DEFAULT_MAX_DURATION_SECONDS} by default)`,
  ),
  optional('--file <path>', 'JSON file with the definition; flags override it'),
];

/** Reads the file and the flags. @throws Refusal with every member that is unknown or wrong */
export async function definitionBy(flags: DefinitionFlags): Promise<Definition> {
  const read = readDefinition({ ...(await readFile(flags.file)), ...fromFlags(flags) });
  if (!read.ok) throw invalid(read.problem);
  return read.definition;
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
    throw invalid(`--max-duration must be a whole number from ${MIN_DURATION} to ${MAX_DURATION}, not "${value}".`);
  return Number(value);
}
