import * as z from 'zod/mini';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import { page } from './page.ts';
import type { DashboardRoute } from './route.ts';

/** A number that is never called. */
const number = z.object({
  /** E.164; null for an erased person, unless the search had the number. */
  phone: z.nullable(z.string()),
  added_at: z.string(),
  /** The call in which the person requested it. */
  call_id: z.nullable(z.string()),
  /** Who added it: a member's e-mail address, or an operator. */
  added_by: z.nullable(z.string()),
  /** When the person was erased: the list refuses the number without storing it. */
  erased_at: z.nullable(z.string()),
});

export type NumberView = z.infer<typeof number>;

export const listDoNotCall = {
  method: 'GET',
  path: '/do-not-call',
  role: 'viewer',
  query: z.object({
    ...page,
    /** The beginning of the numbers: in E.164, or without a plus sign as written in the organization's region. */
    prefix: z.optional(z.string().check(z.regex(/^\+?\d{1,15}$/))),
  }),
  answer: z.object({ items: z.array(number), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;

/** The maximum numbers per request. */
export const MAX_NUMBERS = 1000;

export const addDoNotCall = {
  method: 'POST',
  path: '/do-not-call',
  role: 'member',
  request: z.strictObject({
    /** As typed, read in the organization's region. */
    phones: z.array(z.string().check(z.maxLength(40))).check(z.minLength(1), z.maxLength(MAX_NUMBERS)),
    /** Writes nothing, and reports what would change. */
    check: z.optional(z.boolean()),
  }),
  answer: z.object({
    /** Numbers that are new on the list or, in a check, would be. */
    added: z.number(),
    /** Already on the list. */
    listed: z.number(),
    /** Given more than once. */
    duplicates: z.number(),
    /**
     * Positions, from 0, of texts that are not phone numbers. Empty without a check: a request with such texts is then
     * refused.
     */
    wrong: z.array(z.number()),
    /** The number in each text, by position; null if it is not a phone number. Only in a check. */
    numbers: z.optional(z.array(z.nullable(z.object({ phone: z.string(), is_listed: z.boolean() })))),
  }),
} as const satisfies DashboardRoute;

export const removeDoNotCall = {
  method: 'DELETE',
  /** The number in E.164 without its plus sign, which some programs decode as a space in a URL. */
  path: '/do-not-call/{phone}',
  role: 'admin',
  request: z.strictObject({ reason: trimmedText(200) }),
} as const satisfies DashboardRoute;
