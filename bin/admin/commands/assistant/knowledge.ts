import { requesterName } from '../../../../shared/domain/organizations/requester.ts';
import { removeKnowledge } from '../../../../shared/operations/organizations/remove-knowledge.ts';
import { knowledgeStore } from '../../../../shared/stores/organizations/knowledge.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findAssistant } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { table } from '../../output.ts';
import { type Answer, type Noun, required, verb } from '../../verb.ts';

export type OfAssistant = { assistant: string };
export const assistantOption = required('--assistant <id>', 'assistant ID');

type OfEntry = OfAssistant & { entry: string };

export const knowledge: Noun = {
  name: 'knowledge',
  summary: 'Knowledge bases of assistants',
  verbs: [
    verb<OfAssistant>({
      usage: 'list',
      summary: 'Lists the documents of a knowledge base',
      options: [assistantOption],
      act: list,
    }),
    verb<OfEntry>({
      usage: 'remove',
      summary: 'Removes a document: the next dial no longer uses it',
      options: [assistantOption, required('--entry <id>', 'ID of the document: knowledge list')],
      act: remove,
    }),
  ],
};

async function list(cloud: Cloud, flags: OfAssistant): Promise<Answer> {
  const { assistant_id, knowledge_base: entries } = await findAssistant(cloud, flags.assistant);
  const rows = entries.map(({ id, filename, uploadedAt, uploaded_by: by }) => [
    id,
    filename,
    uploadedAt,
    by && `${by.kind} ${requesterName(by)}`,
  ]);
  return {
    json: { assistant_id, entries },
    people: table(['entry', 'file', 'uploaded_at', 'uploaded_by'], rows, 'The knowledge base is empty.'),
  };
}

async function remove(cloud: Cloud, flags: OfEntry): Promise<Answer> {
  const { assistant_id, org_id } = await findAssistant(cloud, flags.assistant);
  const store = knowledgeStore(cloud.s3(), await cloud.filesBucket());
  const removed = await removeKnowledge({ ...cloud, knowledge: store }, await cloud.operator(), {
    org_id,
    assistant_id,
    entry_id: flags.entry,
  });
  if (removed.kind !== 'removed')
    throw new Refusal(
      'entry_not_found',
      `Assistant ${assistant_id} has no document ${flags.entry}: assistant knowledge list --assistant … lists them.`,
    );
  return { json: { assistant_id, entry: flags.entry }, people: `Document ${flags.entry} was removed.` };
}
