import * as z from 'zod';

const seconds = z.number().min(0);
const count = z.int().min(0);
const names = z.array(z.string());

/**
 * What the vendor documents is the default; where its documents contradict each other or say nothing, the setting
 * lets a test have it either way.
 */
const settingsSchema = z.strictObject({
  /** Simulated seconds per real second, for slow answers. The clock is moved by its file. */
  speed: z.number().positive(),
  /** How long after its creation a contact or ticket is found by a search; by its id and in lists it is at once. */
  searchDelaySeconds: seconds,
  /** What a search for a number compares: the digits, or the characters as they were typed. */
  phonesBy: z.enum(['digits', 'characters']),
  /** The interface names `GET /search/contacts`, the vendor's documents do not: false makes it a path unknown. */
  knowsSearchContacts: z.boolean(),
  /** Requests at once per organization, and credits per organization in rolling 24 hours. */
  concurrency: count,
  credits: count,
  /** What `Retry-After` says of taken places, and of a fault that names no seconds; null: no such header. */
  retryAfterSeconds: z.int().min(0).nullable(),
  /** How long every API request takes. Real milliseconds. */
  latencyMilliseconds: z.number().min(0),
  timesAs: z.enum(['iso', 'epoch']),
  organizationIdsAs: z.enum(['strings', 'numbers']),
  /** Picklists are the portal's own; each status with its type, by which open and closed are told apart. */
  statuses: z.record(z.string(), z.enum(['Open', 'On Hold', 'Closed'])),
  priorities: names,
  channels: names,
  classifications: names,
  /** The tags that the portal allows; null: any. */
  allowedTags: names.nullable(),
  attachmentBytes: count,
  /** Third parties saw 201. */
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
  attachmentBytes: 20 * 1024 * 1024,
  attachmentStatus: 200,
};
