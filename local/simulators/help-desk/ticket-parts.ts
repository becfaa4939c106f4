import * as z from 'zod';
import { fieldError, validated } from './answers.ts';
import type { Handler } from './api-routes.ts';
import { allowOnly } from './query.ts';
import type { Comment, HelpDeskState } from './state.ts';
import { ticketOf } from './tickets.ts';

/** Zoho Desk OpenAPI v1.0, TicketComment.json. */
const commentSchema = z.strictObject({
  content: z.string().min(1).max(32_000),
  contentType: z.enum(['html', 'plainText']).default('html'),
  /** Who leaves it out shows the comment to the customer: the default is not documented, so it is the costly one. */
  isPublic: z.boolean().default(true),
  attachmentIds: z.array(z.string()).default([]),
});

const commentRecord = (state: HelpDeskState, { commentedAt, attachmentIds, ...comment }: Comment) => ({
  ...comment,
  commentedTime: state.time(commentedAt),
  modifiedTime: null,
  attachments: attachmentIds.map((id) => ({ id })),
});

export const createComment: Handler = (simulator, caller) => {
  const { state } = simulator;
  allowOnly(caller.query, []);
  const ticket = ticketOf(simulator, caller);
  const given = validated(commentSchema, caller.json());
  const comment = { id: state.nextId(), ...given, commenterId: caller.user, commentedAt: state.second() };
  ticket.comments.push(comment);
  return { status: 200, json: commentRecord(state, comment) };
};

export const listComments: Handler = (simulator, caller) => {
  allowOnly(caller.query, ['from', 'limit', 'sortBy', 'include']);
  const { comments } = ticketOf(simulator, caller);
  if (comments.length === 0) return { status: 204 };
  return { status: 200, json: { data: comments.map((comment) => commentRecord(simulator.state, comment)) } };
};

/** Zoho Desk OpenAPI v1.0, TicketTag.json: neither a colon nor a slash. */
const tagsSchema = z.strictObject({
  tags: z
    .array(
      z
        .string()
        .min(3)
        .max(50)
        .regex(/^[a-zA-Z0-9_.\-+%\s\P{ASCII}]+$/u)
        .refine((name) => name !== 'null', 'null is no name of a tag'),
    )
    .min(1)
    .max(51),
});

/** Takes names; a tag that the ticket has already stays one. */
export const associateTags: Handler = (simulator, caller) => {
  const { state } = simulator;
  const { allowedTags } = state.settings;
  allowOnly(caller.query, []);
  const ticket = ticketOf(simulator, caller);
  const { tags } = validated(tagsSchema, caller.json(), (body) =>
    body.tags.flatMap((name, index) =>
      allowedTags && !allowedTags.includes(name) ? [fieldError(['tags', index], 'The portal has no such tag.')] : [],
    ),
  );
  for (const name of tags)
    if (!ticket.tags.some((tag) => tag.name === name)) ticket.tags.push({ id: state.nextId(), name });
  return { status: 200, json: { data: ticket.tags.filter(({ name }) => tags.includes(name)) } };
};

export const listTags: Handler = (simulator, caller) => {
  allowOnly(caller.query, []);
  return { status: 200, json: { data: ticketOf(simulator, caller).tags } };
};
