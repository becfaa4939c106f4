import * as z from 'zod';

const seconds = z.number().min(0);
const count = z.int().min(0);
const names = z.array(z.string());

/**
 * The defaults are the vendor's documented values. Where its documents are silent or contradict each other, a setting
 * selects the behaviour.
 */
export const settingsSchema = z.strictObject({
  /** Simulated seconds per real second, for delayed answers. */
  speed: z.number().positive(),
  /** Delay until a search finds a new contact or ticket. Lists and requests by id find it at once. */
  searchDelaySeconds: seconds,
  /** Whether a search for a number compares its digits or its characters as typed. */
  phonesBy: z.enum(['digits', 'characters']),
  /** Whether `GET /search/contacts` exists, which the vendor does not document. */
  knowsSearchContacts: z.boolean(),
  /**
   * Whether the contact within a new ticket may have a phone: the vendor's text refers to a contact, but its OpenAPI
   * lists only names and an e-mail address.
   */
  takesPhoneOfInlineContact: z.boolean(),
  /** The number of a list's first row: 0 in the vendor's OpenAPI, 1 in an older document. A search begins at 0. */
  listsBeginAt: z.union([z.literal(0), z.literal(1)]),
  /** Concurrent requests, and credits in rolling 24 hours, per organization. */
  concurrency: count,
  credits: count,
  /** `Retry-After` of 429 answers, unless a fault has its own; null for none. */
  retryAfterSeconds: z.int().min(0).nullable(),
  /** Duration of every API request, in real milliseconds. */
  latencyMilliseconds: z.number().min(0),
  timesAs: z.enum(['iso', 'epoch']),
  organizationIdsAs: z.enum(['strings', 'numbers']),
  /** The portal's picklists. Each status has a type, which distinguishes open from closed. */
  statuses: z.record(z.string(), z.enum(['Open', 'On Hold', 'Closed'])),
  priorities: names,
  channels: names,
  classifications: names,
  /** The tags that the portal allows; null for any. */
  allowedTags: names.nullable(),
  /**
   * Whether a request by id finds a ticket of the trash, which the vendor does not document. Lists and searches never
   * do.
   */
  showsTrashedTickets: z.boolean(),
  /** Whether lists show a comment as it was sent, or as HTML, as in the examples of the vendor's OpenAPI. */
  commentsAs: z.enum(['sent', 'html']),
  attachmentBytes: count,
  /** The vendor documents 200; others observed 201. */
  attachmentStatus: z.union([z.literal(200), z.literal(201)]),
});

export type Settings = z.infer<typeof settingsSchema>;

export const settingsChangeSchema = settingsSchema.partial();

export type SettingsChange = z.infer<typeof settingsChangeSchema>;

export const defaultSettings: Settings = {
  speed: 1,
  searchDelaySeconds: 0,
  phonesBy: 'digits',
  knowsSearchContacts: true,
  takesPhoneOfInlineContact: true,
  listsBeginAt: 0,
  // Standard edition.
  concurrency: 10,
  credits: 50_000,
  retryAfterSeconds: 1,
  latencyMilliseconds: 0,
  timesAs: 'iso',
  organizationIdsAs: 'strings',
  statuses: { Open: 'Open', 'On Hold': 'On Hold', Escalated: 'Open', Closed: 'Closed' },
  priorities: ['High', 'Medium', 'Low'],
  channels: ['Phone', 'Email', 'Web', 'Chat', 'Forums', 'Twitter', 'Facebook'],
  classifications: ['Question', 'Problem', 'Feature', 'Others'],
  allowedTags: null,
  showsTrashedTickets: false,
  commentsAs: 'html',
  attachmentBytes: 20 * 1024 * 1024,
  attachmentStatus: 200,
};
