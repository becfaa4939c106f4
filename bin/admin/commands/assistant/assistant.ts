import type { Assistant } from '../../../../shared/domain/organizations/assistants/assistant.ts';
import { DOES_NOT_FIT } from '../../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { createAssistant } from '../../../../shared/operations/organizations/create-assistant.ts';
import { updateAssistant } from '../../../../shared/operations/organizations/update-assistant.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { assistantNotFound, findAssistant, findOrg } from '../../cloud/records.ts';
import { facts, paragraphs, table } from '../../output.ts';
import { invalid, NONE } from '../../values.ts';
import { type Answer, type Noun, type OfOrg, orgOption, requireChange, verb } from '../../verb.ts';
import { type DefinitionFlags, definitionBy, definitionOptions } from './definition.ts';
import { assistantOption, knowledge, type OfAssistant } from './knowledge.ts';

export const assistant: Noun = {
  name: 'assistant',
  summary: 'Assistants, which conduct the calls',
  verbs: [
    verb<DefinitionFlags & OfOrg>({
      usage: 'create',
      summary: 'Creates an assistant',
      options: [orgOption, ...definitionOptions],
      act: create,
    }),
    verb<OfAssistant>({
      usage: 'show',
      summary: 'Shows an assistant',
      options: [assistantOption],
      act: async (cloud, flags) => show(await findAssistant(cloud, flags.assistant)),
    }),
    verb<OfOrg>({ usage: 'list', summary: 'Lists the assistants of an organization', options: [orgOption], act: list }),
    verb<DefinitionFlags & OfAssistant>({
      usage: 'update',
      summary: 'Changes an assistant; settings that you do not name stay unchanged',
      options: [assistantOption, ...definitionOptions],
      act: update,
    }),
  ],
  groups: [knowledge],
};

const viewAssistant = (one: Assistant) => ({
  assistant_id: one.assistant_id,
  org_id: one.org_id,
  name: one.name,
  prompt: one.prompt,
  first_message: one.first_message,
  voice: one.voice ?? null,
  language: one.language ?? null,
  transfer_number: one.transfer_number ?? null,
  max_duration_seconds: one.max_duration_seconds,
  success_criteria: one.success_criteria ?? null,
  analysis_schema: one.analysis_schema ?? null,
  knowledge_base: one.knowledge_base,
  created_at: one.created_at,
});

function show(one: Assistant, sentence?: string): Answer {
  const json = viewAssistant(one);
  const { knowledge_base, prompt, ...rest } = json;
  const files = knowledge_base.map(({ filename }) => filename);
  return { json, people: paragraphs(sentence, facts({ ...rest, knowledge_base: files }), `prompt:\n${prompt}`) };
}

async function create(cloud: Cloud, flags: DefinitionFlags & OfOrg): Promise<Answer> {
  const { name, ...definition } = await definitionBy(flags);
  if (name === undefined) throw invalid('An assistant needs a name: give --name, or "name" in the file.');
  const { org_id } = await findOrg(cloud, flags.org);
  const created = await createAssistant(cloud, await cloud.operator(), {
    org_id,
    name,
    ...definition,
  });
  if (created.kind === 'definition_too_large') throw invalid(DOES_NOT_FIT);
  if (created.kind === 'destination_not_allowed') throw invalid(created.message);
  if (created.kind !== 'created') throw new Error(created.kind);
  return show(created.assistant, 'The assistant was created.');
}

async function list(cloud: Cloud, flags: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const assistants = (await cloud.assistants.listOfOrg(org_id)).map(viewAssistant);
  const rows = assistants.map((one) => [one.assistant_id, one.name, one.max_duration_seconds, one.created_at]);
  return {
    json: { assistants },
    people: table(
      ['assistant_id', 'name', 'max_duration_seconds', 'created_at'],
      rows,
      'The organization has no assistants.',
    ),
  };
}

/** The settings that `none` removes. */
const removable = { voice: 'voice', language: 'language', transferNumber: 'transfer_number' } as const;

async function update(cloud: Cloud, { assistant: id, ...flags }: DefinitionFlags & OfAssistant): Promise<Answer> {
  const removed = (Object.keys(removable) as (keyof typeof removable)[]).filter((flag) => flags[flag] === NONE);
  const kept = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== NONE));
  const definition = await definitionBy(kept);
  requireChange({ ...definition, removed: removed[0] }, '--name, --prompt, --file, … (see --help)');
  const updated = await updateAssistant(cloud, await cloud.operator(), {
    assistant_id: id,
    set: definition,
    remove: removed.map((flag) => removable[flag]),
  });
  switch (updated.kind) {
    case 'updated':
      return show(updated.assistant, 'The assistant was changed: the next dial uses it.');
    case 'definition_too_large':
      throw invalid(DOES_NOT_FIT);
    case 'destination_not_allowed':
      throw invalid(updated.message);
    default:
      throw assistantNotFound(id);
  }
}
