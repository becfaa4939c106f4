import * as z from 'zod/mini';
import { orNewer } from '../../domain/newer-values.ts';
import {
  type Definition,
  definitionShape,
  isWithinLength,
  removableMembers,
  TOO_LONG,
} from '../../domain/organizations/assistants/assistant-definition.ts';
import { page } from './page.ts';
import type { DashboardRoute } from './route.ts';

const isShort = z.refine(isWithinLength, TOO_LONG);
/** Enough for the other members and a prompt of 100,000 characters in an Indian script. */
const MAX_BYTES = 512 * 1024;

const knowledgeEntry = z.object({
  id: z.string(),
  filename: z.string(),
  /** The first 200 characters. */
  preview: z.string(),
  uploaded_at: z.string(),
  /** The client's API key or the person; null for entries from before this was stored. */
  uploaded_by: z.nullable(z.object({ kind: orNewer(['key', 'member']), name: z.string() })),
});

export type KnowledgeView = z.infer<typeof knowledgeEntry>;

const text = z.nullable(z.string());

/** An assistant in the list. */
const assistantRow = z.object({
  assistant_id: z.string(),
  name: z.string(),
  first_message: z.string(),
  voice: text,
  language: text,
  max_duration_seconds: z.number(),
  knowledge: z.number(),
  created_at: z.string(),
  updated_at: text,
  /** A member's e-mail address, or an operator's name. */
  updated_by: text,
});

export type AssistantRow = z.infer<typeof assistantRow>;

/** An assistant with its complete definition. */
export const assistant = z.object({
  ...assistantRow.shape,
  prompt: z.string(),
  transfer_number: text,
  success_criteria: text,
  analysis_schema: z.nullable(z.record(z.string(), z.unknown())),
  knowledge_base: z.array(knowledgeEntry),
  /** Sent back with every change of the definition. */
  revision: z.number(),
});

export type AssistantView = z.infer<typeof assistant>;

export const listAssistants = {
  method: 'GET',
  path: '/assistants',
  role: 'viewer',
  query: z.object(page),
  answer: z.object({ items: z.array(assistantRow), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;

export const createAssistant = {
  method: 'POST',
  path: '/assistants',
  role: 'member',
  idempotencyKey: 'optional',
  mostBytes: MAX_BYTES,
  request: z
    .strictObject({
      ...definitionShape,
      prompt: z.optional(definitionShape.prompt),
      first_message: z.optional(definitionShape.first_message),
      voice: z.optional(definitionShape.voice),
      language: z.optional(definitionShape.language),
      transfer_number: z.optional(definitionShape.transfer_number),
      max_duration_seconds: z.optional(definitionShape.max_duration_seconds),
      success_criteria: z.optional(definitionShape.success_criteria),
      analysis_schema: z.optional(definitionShape.analysis_schema),
    })
    .check(isShort),
  answer: assistant,
} as const satisfies DashboardRoute;

export const showAssistant = {
  method: 'GET',
  path: '/assistants/{id}',
  role: 'viewer',
  /** With the connections whose leads it calls. */
  answer: z.object({
    ...assistant.shape,
    connections: z.array(z.object({ connection_id: z.string(), type: z.string() })),
  }),
} as const satisfies DashboardRoute;

export type ShownAssistant = z.infer<typeof showAssistant.answer>;

export const updateAssistant = {
  method: 'PATCH',
  path: '/assistants/{id}',
  role: 'member',
  mostBytes: MAX_BYTES,
  /** The members that change; null removes one. */
  request: z
    .strictObject({
      revision: z.int().check(z.nonnegative()),
      name: z.optional(definitionShape.name),
      prompt: z.optional(definitionShape.prompt),
      first_message: z.optional(definitionShape.first_message),
      max_duration_seconds: z.optional(definitionShape.max_duration_seconds),
      voice: z.optional(z.nullable(definitionShape.voice)),
      language: z.optional(z.nullable(definitionShape.language)),
      transfer_number: z.optional(z.nullable(definitionShape.transfer_number)),
      success_criteria: z.optional(z.nullable(definitionShape.success_criteria)),
      analysis_schema: z.optional(z.nullable(definitionShape.analysis_schema)),
    })
    .check(isShort),
  answer: assistant,
} as const satisfies DashboardRoute;

export type AssistantPatch = z.infer<typeof updateAssistant.request>;

/** Returns the changes of a request: members to set, and members to remove. */
export function changeOf({ revision, ...members }: AssistantPatch) {
  const set = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Definition;
  return { revision, set, remove: removableMembers.filter((name) => members[name] === null) };
}

export const deleteAssistant = {
  method: 'DELETE',
  path: '/assistants/{id}',
  role: 'admin',
} as const satisfies DashboardRoute;

export const addKnowledge = {
  method: 'POST',
  path: '/assistants/{id}/knowledge-base',
  role: 'member',
  /** multipart/form-data, in the field `files`. */
  takesFiles: true,
  idempotencyKey: 'optional',
  answer: z.object({ items: z.array(knowledgeEntry) }),
} as const satisfies DashboardRoute;

export const showKnowledge = {
  method: 'GET',
  path: '/assistants/{id}/knowledge-base/{entryId}',
  role: 'viewer',
  /** The text up to the length that a call can use. `is_cut`: the document is longer. */
  answer: z.object({ filename: z.string(), text: z.string(), is_cut: z.boolean() }),
} as const satisfies DashboardRoute;

export const removeKnowledge = {
  method: 'DELETE',
  path: '/assistants/{id}/knowledge-base/{entryId}',
  role: 'member',
} as const satisfies DashboardRoute;
