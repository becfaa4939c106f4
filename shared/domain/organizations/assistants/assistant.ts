import * as z from 'zod/mini';
import { storedRequesterSchema } from '../requester.ts';

/** A document of an assistant's knowledge base. The bucket has its text under `path`. */
const knowledgeEntrySchema = z.object({
  id: z.string(),
  filename: z.string(),
  path: z.string(),
  textPreview: z.string(),
  uploadedAt: z.string(),
  /** Who added it; absent for entries from before this was stored. */
  uploaded_by: z.optional(storedRequesterSchema),
});

export type KnowledgeEntry = z.infer<typeof knowledgeEntrySchema>;

/** An assistant as it is stored. */
export const assistantSchema = z.object({
  assistant_id: z.string(),
  org_id: z.string(),
  name: z.string(),
  prompt: z.string(),
  first_message: z.string(),
  voice: z.optional(z.string()),
  language: z.optional(z.string()),
  transfer_number: z.optional(z.string()),
  max_duration_seconds: z.number(),
  success_criteria: z.optional(z.string()),
  analysis_schema: z.optional(z.record(z.string(), z.unknown())),
  knowledge_base: z.array(knowledgeEntrySchema),
  created_at: z.string(),
  /** Counts the changes of the definition, from 1; absent before the first one of an older assistant. */
  revision: z.optional(z.number()),
  updated_at: z.optional(z.string()),
  /** A member's e-mail address, or an operator's name. */
  updated_by: z.optional(z.string()),
  /** The last change of each attribute, which shows a late editor who changed it. */
  edits: z.optional(z.record(z.string(), z.object({ revision: z.number(), by: z.string() }))),
});

export type Assistant = z.infer<typeof assistantSchema>;

/** Returns the revision of the definition; 0 for an assistant from before revisions. */
export const assistantRevision = ({ revision = 0 }: Pick<Assistant, 'revision'>): number => revision;
