import * as z from 'zod/mini';
import type { KnowledgeEntry } from '../../domain/organizations/assistants/assistant.ts';

const entry: z.ZodMiniType<KnowledgeEntry> = z.object({
  id: z.string(),
  filename: z.string(),
  path: z.string(),
  textPreview: z.string(),
  uploadedAt: z.iso.datetime(),
});

/** The answer of POST /v1/assistants/{id}/knowledge-base: all entries, oldest first. */
export const knowledgeEntries = z.array(entry);
