import type { ExtractTexts } from '../../../documents/text-extractor.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import { newKnowledgeId } from '../../../domain/ids.ts';
import type { Assistant, KnowledgeEntry } from '../../../domain/organizations/assistants/assistant.ts';
import {
  fitsOneItem,
  hasRoom,
  knowledgeEntry,
  knowledgePath,
  MAX_ENTRIES,
  type UploadedFile,
} from '../../../domain/organizations/assistants/knowledge-file.ts';
import type { Requester } from '../../../domain/organizations/requester.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';
import type { KnowledgeStore } from '../../../stores/organizations/knowledge.ts';
import { type FileRefusal, type ReadFile, readFiles, type Usage } from './read-files.ts';

export type AppendKnowledgeDeps = {
  assistants: Pick<AssistantStore, 'get' | 'appending'>;
  knowledge: Pick<KnowledgeStore, 'put' | 'remove'>;
  transact: Transact;
  extract: ExtractTexts;
  now: () => Date;
};

/** The reason why the files of a body were not read. */
export type UploadRefusal = {
  ok: false;
  error: 'invalid_request' | 'no_files_uploaded' | 'payload_too_large';
  message: string;
};

/** Parses the body. Called only for an admitted request about a known assistant. */
export type ReadUpload = () => Promise<{ ok: true; files: UploadedFile[] } | UploadRefusal>;

export type Appending =
  | { kind: 'uploaded'; entries: KnowledgeEntry[]; usage?: Usage | undefined }
  | { kind: 'assistant_not_found' }
  | { kind: 'refused_files'; refusal: Omit<UploadRefusal, 'ok'> | FileRefusal; usage?: Usage | undefined }
  | { kind: 'knowledge_base_full' };

/** The record of an audited request, which identifies a repeat. */
type RecordedRequest = {
  /** The audit entry of the addition, and the mark of its request, which refuses a repeat. */
  writesFor: (added: readonly KnowledgeEntry[]) => { audit: Write; mark: Write | undefined };
  /** Reads consistently whether an earlier try of the request has added the files. */
  isDone: () => Promise<boolean>;
};

/**
 * Appends the texts of the files to an assistant's knowledge base, all or none. Stores the texts first, then adds their
 * entries in one write. If the write certainly adds no entry, removes the texts. A crash in between, or a write with an
 * unknown result, may leave texts without entries, which are never read.
 * @param by the author. @param recorded absent if a repeat counts as a new request
 * @throws TransactionContention if too many uploads run.
 */
export async function appendKnowledge(
  deps: AppendKnowledgeDeps,
  assistant: Assistant,
  { files, by }: { files: ReadUpload; by: Requester },
  recorded?: RecordedRequest,
): Promise<Appending> {
  // The files of a repeat may not fit because the first try has added them.
  const noRoom = async () => resultOf(deps, assistant, { isAdded: (await recorded?.isDone()) === true });
  const uploaded = await files();
  if (!uploaded.ok) return { kind: 'refused_files', refusal: { error: uploaded.error, message: uploaded.message } };
  if (!hasRoom(assistant, uploaded.files.length)) return noRoom();
  const read = await readFiles(deps.extract, uploaded.files);
  if (!read.ok) return { kind: 'refused_files', refusal: read.refusal, usage: read.usage };

  const texts = textsOf(assistant, read.files, { by, now: deps.now() });
  const added = texts.map(({ entry }) => entry);
  if (!fitsOneItem(assistant, added)) return noRoom();
  const removeTexts = () => Promise.allSettled(added.map(({ path }) => deps.knowledge.remove(path)));
  const stored = await Promise.allSettled(texts.map(({ entry, text }) => deps.knowledge.put(entry.path, text)));
  const failed = stored.find(({ status }) => status === 'rejected');
  if (failed) {
    await removeTexts();
    throw (failed as PromiseRejectedResult).reason;
  }
  const write = {
    assistant: deps.assistants.appending(assistant, added, MAX_ENTRIES),
    ...{ audit: undefined, mark: undefined },
    ...recorded?.writesFor(added),
  };
  const result = await deps.transact(write, { decidedBy: ['mark'] }).catch(async (error) => {
    if (error instanceof TransactionContention && !error.hasUnknownOutcome) await removeTexts();
    throw error;
  });
  if (!result.committed) await Promise.all(added.map(({ path }) => deps.knowledge.remove(path)));
  const isAdded = result.committed || 'mark' in result.refused;
  return resultOf(deps, assistant, { isAdded, usage: read.usage });
}

async function resultOf(
  { assistants }: AppendKnowledgeDeps,
  { assistant_id, org_id }: Assistant,
  { isAdded, usage }: { isAdded: boolean; usage?: Usage | undefined },
): Promise<Appending> {
  const now = await assistants.get(assistant_id);
  if (now?.org_id !== org_id) return { kind: 'assistant_not_found' };
  return isAdded ? { kind: 'uploaded', entries: now.knowledge_base, usage } : { kind: 'knowledge_base_full' };
}

const textsOf = (assistant: Assistant, files: readonly ReadFile[], { by, now }: { by: Requester; now: Date }) =>
  files.map(({ filename, text }) => {
    const id = newKnowledgeId();
    return { entry: knowledgeEntry({ id, filename, path: knowledgePath(assistant, id), text }, by, now), text };
  });
