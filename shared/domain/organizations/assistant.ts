import * as z from 'zod/mini';

/** A document of an assistant's knowledge base, as the REST API shows it. The bucket has its text under `path`. */
const knowledgeEntrySchema = z.object({
  id: z.string(),
  filename: z.string(),
  path: z.string(),
  textPreview: z.string(),
  uploadedAt: z.string(),
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
});

export type Assistant = z.infer<typeof assistantSchema>;

export const DEFAULT_MAX_DURATION_SECONDS = 600;
