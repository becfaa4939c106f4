import * as z from 'zod';

/** The vendor's data centers by the `location` of the callback (Zoho Accounts, multi-DC). */
const locations = ['us', 'eu', 'in', 'au', 'jp', 'ca', 'sa', 'cn', 'uk'] as const;

const seconds = z.number().min(0);
const count = z.int().min(0);

/**
 * What the vendor documents is the default; where its documents contradict each other or say nothing, the setting
 * lets a test have it either way.
 */
const settingsSchema = z.strictObject({
  /** Simulated seconds per real second, for delays of notifications and answers. The clock is moved by its file. */
  speed: z.number().positive(),
  /** What the consent page does: shows itself, or answers at once. */
  consent: z.enum(['page', 'grant', 'deny']),
  /** Who consents without a page; the first user unless told. */
  consentUser: z.string().nullable(),
  location: z.enum(locations),
  /** What callbacks and tokens name; the simulator's own addresses unless told (a proxy before it, a forged answer). */
  accountsServer: z.string().nullable(),
  apiDomain: z.string().nullable(),
  codeSeconds: seconds,
  /** `ignored` is a data center that does not know PKCE. */
  pkce: z.enum(['checked', 'ignored']),
  accessTokenSeconds: seconds,
  /** Codes per client within 10 minutes. */
  codesPerTenMinutes: count,
  /** Access tokens per refresh token within 10 minutes, and active at once. */
  accessTokensPerTenMinutes: count,
  activeAccessTokens: count,
  /** Refresh tokens per user and client: within 10 minutes, and at all. */
  refreshTokensPerTenMinutes: count,
  refreshTokens: count,
  /** HTTP status of `{"error": …}` and of the throttle's "Access Denied": seen as either. */
  oauthErrorStatus: z.union([z.literal(200), z.literal(400)]),
  throttleStatus: z.union([z.literal(200), z.literal(400)]),
  /** Requests at once per org and app; those of COQL have a bound of their own. */
  concurrency: count,
  subConcurrency: count,
  /** Credits per org in rolling 24 hours. */
  credits: count,
  /** How long every API request takes. Real milliseconds. */
  latencyMilliseconds: z.number().min(0),
  /** UTC offset of the account, in which all its times are written. */
  offset: z.string().regex(/^[+-]\d{2}:\d{2}$/),
  /** Status of an answer whose items all failed; 207 always where some did. */
  itemErrorStatus: z.union([z.literal(202), z.literal(207), z.literal(400)]),
  /** Rows one COQL query may ask for. */
  coqlLimit: count,
  noteContentLimit: count,
  /** How a Call_Duration is read. */
  callDurationIs: z.enum(['hh:mm', 'mm:ss']),
  /** A completed call may start this much after now. */
  futureToleranceSeconds: seconds,
  /** A call with What_Id and without $se_module: added but related to nothing, or refused. */
  missingSeModule: z.enum(['unrelated', 'refuse']),
  /** Writing a note or call also moves the lead's Modified_Time (Last_Activity_Time moves always). */
  relatedMovesModifiedTime: z.boolean(),
  notifications: z.strictObject({
    /** `hold` keeps them until released; `drop` loses them, while the channels still look active. */
    mode: z.enum(['send', 'hold', 'drop']),
    delaySeconds: seconds,
    /** Deliveries of each, all at once. */
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
  consent: 'page',
  consentUser: null,
  location: 'in',
  accountsServer: null,
  apiDomain: null,
  codeSeconds: 120,
  pkce: 'checked',
  accessTokenSeconds: 3600,
  codesPerTenMinutes: 10,
  accessTokensPerTenMinutes: 10,
  activeAccessTokens: 15,
  refreshTokensPerTenMinutes: 10,
  refreshTokens: 20,
  oauthErrorStatus: 200,
  throttleStatus: 400,
  // Standard edition.
  concurrency: 10,
  subConcurrency: 10,
  credits: 50_250,
  latencyMilliseconds: 0,
  offset: '+05:30',
  itemErrorStatus: 202,
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

/** The settings with the changes in them; those left out or undefined stay. */
export function changed(settings: Settings, { notifications, ...changes }: SettingsChange): Settings {
  const given = (object: object) =>
    Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  return {
    ...settings,
    ...given(changes),
    notifications: { ...settings.notifications, ...given(notifications ?? {}) },
  };
}
