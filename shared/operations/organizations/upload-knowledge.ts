import type { ExtractTexts } from '../../documents/text-extractor.ts';
import { newKnowledgeId } from '../../domain/ids.ts';
import { readAuthorization } from '../../domain/organizations/api-key.ts';
import type { Assistant, KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import {
  fitsOneItem,
  hasRoom,
  knowledgeEntry,
  knowledgePath,
  MOST_ENTRIES,
  type UploadedFile,
} from '../../domain/organizations/knowledge-file.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { KnowledgeStore } from '../../stores/organizations/knowledge.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from './steps/admit-request.ts';
import { type FileRefusal, type ReadFile, readFiles, type Usage } from './steps/read-files.ts';

export type UploadKnowledgeDeps = AdmitRequestDeps & {
  assistants: Pick<AssistantStore, 'get' | 'appending'>;
  knowledge: Pick<KnowledgeStore, 'put'>;
  transact: Transact;
  extract: ExtractTexts;
};

/** Why the files of a body were not read. */
export type UploadRefusal = {
  ok: false;
  error: 'unsupported_media_type' | 'invalid_request' | 'no_files_uploaded' | 'payload_too_large';
  message: string;
};

export type UploadingRequest = {
  authorization: string | undefined;
  assistantId: string;
  /** Parses the body. Called only for an admitted request. */
  files: () => Promise<{ ok: true; files: UploadedFile[] } | UploadRefusal>;
};

export type Uploading =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & (
      | { kind: 'uploaded'; entries: KnowledgeEntry[]; usage?: Usage | undefined }
      | { kind: 'assistant_not_found' }
      | { kind: 'refused_files'; refusal: Omit<UploadRefusal, 'ok'> | FileRefusal; usage?: Usage | undefined }
      | { kind: 'knowledge_base_full' }
    ));

/**
 * Appends the texts of the files to an assistant's knowledge base, all or none. It stores the texts first, and adds
 * their entries in one write at the end. A failure in between leaves texts without entries, which are never read.
 * @throws TransactionContention if too many uploads run at once.
 */
export async function uploadKnowledge(
  deps: UploadKnowledgeDeps,
  { authorization, assistantId, files }: UploadingRequest,
): Promise<Uploading> {
  const [admission, assistant] = await Promise.all([
    admitRequest(deps, authorization, {}),
    // A malformed key is refused without a read.
    readAuthorization(authorization).kind === 'key' ? deps.assistants.get(assistantId) : undefined,
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, rate } = admission;
  if (assistant?.org_id !== org.org_id) return { kind: 'assistant_not_found', rate };

  const uploaded = await files();
  if (!uploaded.ok)
    return { kind: 'refused_files', refusal: { error: uploaded.error, message: uploaded.message }, rate };
  if (!hasRoom(assistant, uploaded.files.length)) return { kind: 'knowledge_base_full', rate };
  const read = await readFiles(deps.extract, uploaded.files);
  if (!read.ok) return { kind: 'refused_files', refusal: read.refusal, usage: read.usage, rate };

  const added = entriesOf(assistant, read.files, deps.now());
  if (
    !fitsOneItem(
      assistant,
      added.map(({ entry }) => entry),
    )
  )
    return { kind: 'knowledge_base_full', rate };
  await Promise.all(added.map(({ entry, text }) => deps.knowledge.put(entry.path, text)));
  const result = await deps.transact({
    assistant: deps.assistants.appending(
      assistant,
      added.map(({ entry }) => entry),
      MOST_ENTRIES,
    ),
  });
  const now = await deps.assistants.get(assistantId);
  if (now?.org_id !== org.org_id) return { kind: 'assistant_not_found', rate };
  if (!result.committed) return { kind: 'knowledge_base_full', rate };
  return { kind: 'uploaded', entries: now.knowledge_base, usage: read.usage, rate };
}

const entriesOf = (assistant: Assistant, files: readonly ReadFile[], now: Date) =>
  files.map(({ filename, text }) => {
    const id = newKnowledgeId();
    return { entry: knowledgeEntry({ id, filename, path: knowledgePath(assistant, id), text }, now), text };
  });
