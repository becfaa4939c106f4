import { requesterName } from '../requester.ts';
import { type Assistant, assistantRevision, type KnowledgeEntry } from './assistant.ts';

/**
 * Returns an entry of a knowledge base as the dashboard's API shows it: without the path of its text and without
 * addresses.
 */
export const viewEntry = ({ id, filename, textPreview, uploadedAt, uploaded_by }: KnowledgeEntry) => ({
  id,
  filename,
  preview: textPreview,
  uploaded_at: uploadedAt,
  uploaded_by: uploaded_by ? { kind: uploaded_by.kind, name: requesterName(uploaded_by) } : null,
});

/** Returns an assistant for the dashboard's list. */
export const viewAssistantRow = (assistant: Assistant) => ({
  assistant_id: assistant.assistant_id,
  name: assistant.name,
  first_message: assistant.first_message,
  voice: assistant.voice ?? null,
  language: assistant.language ?? null,
  max_duration_seconds: assistant.max_duration_seconds,
  knowledge: assistant.knowledge_base.length,
  created_at: assistant.created_at,
  updated_at: assistant.updated_at ?? null,
  updated_by: assistant.updated_by ?? null,
});

/** Returns an assistant as the dashboard's API shows it. */
export const viewAssistant = (assistant: Assistant) => ({
  ...viewAssistantRow(assistant),
  prompt: assistant.prompt,
  transfer_number: assistant.transfer_number ?? null,
  success_criteria: assistant.success_criteria ?? null,
  analysis_schema: assistant.analysis_schema ?? null,
  knowledge_base: assistant.knowledge_base.map(viewEntry),
  revision: assistantRevision(assistant),
});

/**
 * Lists the changes since a revision.
 * @returns the names of the changed attributes, each with the last person who changed it
 */
export const editsSince = ({ edits = {} }: Assistant, revision: number): { name: string; by: string }[] =>
  Object.entries(edits).flatMap(([name, edit]) => (edit.revision > revision ? [{ name, by: edit.by }] : []));
