import * as z from 'zod';
import { changesOf } from '../kit/settings.ts';

const seconds = z.number().min(0);
const count = z.int().min(0);

/**
 * The defaults are the vendor's documented values. Where its documents contradict each other, a setting selects a form.
 */
const settingsSchema = z.strictObject({
  /** Simulated seconds per real second, for delayed notifications and answers. */
  speed: z.number().positive(),
  /** Concurrent requests per organization and app. COQL requests also have a limit of their own. */
  concurrency: count,
  subConcurrency: count,
  /** Credits per organization in rolling 24 hours. */
  credits: count,
  /** Duration of every API request, in real milliseconds. */
  latencyMilliseconds: z.number().min(0),
  /** The UTC offset in which the account writes its times. */
  offset: z.string().regex(/^[+-]\d{2}:\d{2}$/),
  /** Status of an answer whose items all failed. It is 207 if only some failed. */
  itemErrorStatus: z.union([z.literal(202), z.literal(207), z.literal(400)]),
  /** Whether a request by id returns a converted lead, or 204: clients report both. COQL always returns the lead. */
  showsConvertedLeads: z.boolean(),
  /** Rows that one COQL query may request. */
  coqlLimit: count,
  noteContentLimit: count,
  /** The meaning of Call_Duration. */
  callDurationIs: z.enum(['hh:mm', 'mm:ss']),
  /** A completed call may start this long after now. */
  futureToleranceSeconds: seconds,
  /** Whether a call with What_Id and without $se_module is added without a lead, or refused. */
  missingSeModule: z.enum(['unrelated', 'refuse']),
  /** Whether a new note or call also updates its lead's Modified_Time. It always updates Last_Activity_Time. */
  relatedMovesModifiedTime: z.boolean(),
  notifications: z.strictObject({
    /** `hold` keeps them until they are released. `drop` loses them, while the channels appear active. */
    mode: z.enum(['send', 'hold', 'drop']),
    delaySeconds: seconds,
    /** Deliveries of each notification, all at once. */
    copies: z.int().min(1),
    idsAs: z.enum(['strings', 'numbers']),
    channelIdAs: z.enum(['string', 'number']),
    idsPerNotification: z.int().min(1),
  }),
});

export type Settings = z.infer<typeof settingsSchema>;

export const settingsChangeSchema = settingsSchema
  .extend({ notifications: settingsSchema.shape.notifications.partial() })
  .partial();

export type SettingsChange = z.infer<typeof settingsChangeSchema>;

export const defaultSettings: Settings = {
  speed: 1,
  // Standard edition.
  concurrency: 10,
  subConcurrency: 10,
  credits: 50_250,
  latencyMilliseconds: 0,
  offset: '+05:30',
  itemErrorStatus: 202,
  showsConvertedLeads: true,
  coqlLimit: 2000,
  noteContentLimit: 32_000,
  callDurationIs: 'hh:mm',
  futureToleranceSeconds: 60,
  missingSeModule: 'unrelated',
  relatedMovesModifiedTime: false,
  notifications: {
    mode: 'send',
    delaySeconds: 0,
    copies: 1,
    idsAs: 'strings',
    channelIdAs: 'string',
    idsPerNotification: 50,
  },
};

/** Applies changes. Undefined values, and settings of the accounts server, are ignored. */
export function changed(settings: Settings, { notifications = {}, ...changes }: SettingsChange): Settings {
  return {
    ...settings,
    ...changesOf(settingsSchema, changes),
    notifications: { ...settings.notifications, ...changesOf(settingsSchema.shape.notifications, notifications) },
  };
}
