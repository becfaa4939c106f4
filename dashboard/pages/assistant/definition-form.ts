import * as z from 'zod/mini';
import { MAX_DURATION, MIN_DURATION } from '../../../shared/domain/organizations/assistants/assistant-defaults.ts';
import { definitionShape } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import type { AssistantPatch, AssistantView } from '../../../shared/messages/dashboard/assistants.ts';
import { parseDuration } from '../../words/assistants/assistants.ts';
import { formatDuration } from '../../words/times.ts';

type Definition = Required<Omit<AssistantPatch, 'revision'>>;

/** The definition as the form stores it: texts under the API's names. */
export type DefinitionValues = Record<keyof Definition, string>;

/** Validates optional fields by the API's rules; an empty one removes its value. */
const orEmpty = (schema: z.ZodMiniType) =>
  z.string().check(({ value, issues }) => {
    if (value.trim() === '') return;
    const result = schema.safeParse(value);
    for (const { message } of result.error?.issues ?? []) issues.push({ code: 'custom', input: value, message });
  });

const json = z.pipe(
  z.string(),
  z.transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.issues.push({ code: 'custom', input: text, message: 'must be JSON' });
      return z.NEVER;
    }
  }),
);

/** People type numbers with spaces and dashes; the API requires E.164. */
const bare = (phone: string): string => phone.replace(/[\s().-]/g, '');

const isDuration = (text: string): boolean => {
  const seconds = parseDuration(text) ?? 0;
  return seconds >= MIN_DURATION && seconds <= MAX_DURATION;
};

export const definitionForm = z.object({
  name: definitionShape.name,
  prompt: definitionShape.prompt,
  first_message: definitionShape.first_message,
  voice: orEmpty(definitionShape.voice),
  language: orEmpty(definitionShape.language),
  transfer_number: orEmpty(z.pipe(z.pipe(z.string(), z.transform(bare)), definitionShape.transfer_number)),
  max_duration_seconds: z
    .string()
    .check(z.refine(isDuration, 'must be 0:10 to 60:00, in minutes and seconds, such as 10 or 2:30')),
  success_criteria: orEmpty(definitionShape.success_criteria),
  analysis_schema: orEmpty(z.pipe(json, definitionShape.analysis_schema)),
}) as z.ZodMiniType<unknown, DefinitionValues>;

/** @returns the stored definition as the form shows it */
export const valuesOf = (assistant: AssistantView): DefinitionValues => ({
  name: assistant.name,
  prompt: assistant.prompt,
  first_message: assistant.first_message,
  voice: assistant.voice ?? '',
  language: assistant.language ?? '',
  transfer_number: assistant.transfer_number ?? '',
  max_duration_seconds: formatDuration(assistant.max_duration_seconds),
  success_criteria: assistant.success_criteria ?? '',
  analysis_schema: assistant.analysis_schema ? JSON.stringify(assistant.analysis_schema, null, 2) : '',
});

/** @param values validated */
function definitionOf(values: DefinitionValues): Definition {
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
  const schema = orNull(values.analysis_schema);
  return {
    name: values.name.trim(),
    prompt: values.prompt.trim(),
    first_message: values.first_message.trim(),
    voice: orNull(values.voice),
    language: orNull(values.language),
    transfer_number: orNull(bare(values.transfer_number)),
    max_duration_seconds: parseDuration(values.max_duration_seconds) ?? 0,
    success_criteria: orNull(values.success_criteria),
    analysis_schema: schema === null ? null : JSON.parse(schema),
  };
}

type Change = Omit<AssistantPatch, 'revision'>;

/** @returns the members that the values change */
export function changeOf(base: AssistantView, values: DefinitionValues): Change {
  const entries = Object.entries(definitionOf(values)) as [keyof Definition, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name])));
}
