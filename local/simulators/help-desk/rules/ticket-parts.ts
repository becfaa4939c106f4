import * as z from 'zod';
import type { Comment } from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Handler } from './caller.ts';
import { fieldError, validated } from './problems.ts';
import { allowOnly } from './query.ts';
import { ticketOf } from './tickets.ts';

/** Zoho Desk OpenAPI v1.0, TicketComment.json. */
const commentSchema = z.strictObject({
  content: z.string().min(1).max(32_000),
  contentType: z.enum(['html', 'plainText']).default('html'),
  /** The vendor documents no default. The simulator assumes the harmful one: the customer sees the comment. */
  isPublic: z.boolean().default(true),
  attachmentIds: z.array(z.string()).default([]),
});

/** Converts a plain-text comment to HTML. */
const htmlOf = (content: string): string => {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<div>${escaped.replaceAll('\n', '<br />')}</div>`;
};

const commentRecord = (state: HelpDeskState, { commentedAt, attachmentIds, ...comment }: Comment) => ({
  ...comment,
  commentedTime: state.time(commentedAt),
  modifiedTime: null,
  attachments: attachmentIds.map((id) => ({ id })),
});

export const createComment: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  const ticket = ticketOf(state, caller);
  const given = validated(commentSchema, caller.json());
  const comment = { id: state.nextId(), ...given, commenterId: caller.user, commentedAt: state.second() };
  ticket.comments.push(comment);
  return { status: 200, json: commentRecord(state, comment) };
};

export const listComments: Handler = (state, caller) => {
  allowOnly(caller.query, ['from', 'limit', 'sortBy', 'include']);
  const { comments } = ticketOf(state, caller);
  if (comments.length === 0) return { status: 204 };
  const isHtml = state.settings.commentsAs === 'html';
  const shown = comments.map((comment) =>
    isHtml && comment.contentType === 'plainText' ? { ...comment, content: htmlOf(comment.content) } : comment,
  );
  return { status: 200, json: { data: shown.map((comment) => commentRecord(state, comment)) } };
};

/** Zoho Desk OpenAPI v1.0, TicketTag.json. A name has neither a colon nor a slash. */
const tagsSchema = z.strictObject({
  tags: z
    .array(
      z
        .string()
        .min(3)
        .max(50)
        .regex(/^[a-zA-Z0-9_.\-+%\s\P{ASCII}]+$/u)
        .refine((name) => name !== 'null', 'null cannot be the name of a tag'),
    )
    .min(1)
    .max(51),
});

/** Adds tags by name, except those that the ticket already has. */
export const associateTags: Handler = (state, caller) => {
  const { allowedTags } = state.settings;
  allowOnly(caller.query, []);
  const ticket = ticketOf(state, caller);
  const { tags } = validated(tagsSchema, caller.json(), (body) =>
    body.tags.flatMap((name, index) =>
      allowedTags && !allowedTags.includes(name) ? [fieldError(['tags', index], 'The portal has no such tag.')] : [],
    ),
  );
  for (const name of tags)
    if (!ticket.tags.some((tag) => tag.name === name)) ticket.tags.push({ id: state.nextId(), name });
  return { status: 200, json: { data: ticket.tags.filter(({ name }) => tags.includes(name)) } };
};

export const listTags: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  return { status: 200, json: { data: ticketOf(state, caller).tags } };
};
