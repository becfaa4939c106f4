import * as z from 'zod';

const failureStatus = (...statuses: number[]) =>
  z.number().refine((status) => statuses.includes(status), { error: `must be one of ${statuses.join(', ')}` });

/** What changes a call that was dialed, whatever its ending. Seconds are simulated ones unless said otherwise. */
const modifiers = {
  /** Time in the queue before the phone rings. */
  queueSeconds: z.number().min(0).optional(),
  /** How long the phone rings: 4 s until someone answers or is found busy, 30 s when nobody does. */
  ringSeconds: z.number().min(0).optional(),
  talkSeconds: z.number().min(0).optional(),
  /** What is said; without it a short dialogue that starts with the assistant's firstMessage. */
  transcript: z.array(z.strictObject({ role: z.enum(['bot', 'user']), message: z.string() })).optional(),
  summary: z.string().optional(),
  /** US dollars, instead of the price of the minutes. */
  cost: z.number().min(0).optional(),
  /** Another of the vendor's reasons than the behaviour's usual one. */
  endedReason: z.string().optional(),
  /** Time from the end of the call to its report. */
  reportSeconds: z.number().min(0).optional(),
  /** Every message is delivered twice, both at once. */
  duplicateMessages: z.boolean().optional(),
  /** Messages are held until the last one exists, then sent newest first (true) or in an order drawn from a seed. */
  shuffleMessages: z.union([z.boolean(), z.int()]).optional(),
  /** Never send the report, or neither the status-update `ended` nor the report. */
  dropLast: z.enum(['report', 'ended-and-report']).optional(),
  /** GET /call leaves the call out until the clock (which `speed` does not hurry) has passed this many seconds. */
  listedAfterSeconds: z.number().min(0).max(30).optional(),
  noRecording: z.boolean().optional(),
  /** The recording answers 404 until the clock (not hurried by `speed`) has passed this many seconds after the end. */
  recordingDelaySeconds: z.number().min(0).optional(),
};

/** How a dialed phone can behave. */
const lives = [
  'answer',
  'no-answer',
  'busy',
  'transfer',
  'voicemail',
  /** The platform fails in the middle of the conversation. */
  'platform-fault',
  /** Accepted, then ended before the phone rang. */
  'not-started',
] as const;

const dialed = <Name extends (typeof lives)[number]>(behaviour: Name) =>
  z.strictObject({ behaviour: z.literal(behaviour), ...modifiers });

/** A call that goes on behind an answer the caller never gets. */
const behind = { life: z.enum(lives).optional(), ...modifiers };

/** What happens to one POST /call for a number. */
export const scriptSchema = z.discriminatedUnion('behaviour', [
  dialed('answer'),
  dialed('no-answer'),
  dialed('busy'),
  dialed('voicemail'),
  dialed('platform-fault'),
  dialed('not-started'),
  z.strictObject({
    behaviour: z.literal('transfer'),
    /** Without it, the first destination of the assistant's transferCall tool; with neither, the transfer fails. */
    transferTo: z.string().optional(),
    transferStatus: z.enum(['connected', 'no-answer', 'busy', 'voicemail', 'failed', 'completed']).optional(),
    ...modifiers,
  }),
  z.strictObject({
    behaviour: z.literal('refuse'),
    status: failureStatus(400, 404, 409, 422).optional(),
    message: z.string().optional(),
  }),
  z.strictObject({
    behaviour: z.literal('unauthorized'),
    status: failureStatus(401, 402, 403).optional(),
    message: z.string().optional(),
  }),
  z.strictObject({ behaviour: z.literal('rate-limited'), retryAfterSeconds: z.int().min(0).optional() }),
  z.strictObject({ behaviour: z.literal('server-error'), status: z.int().min(500).max(599).optional() }),
  z.strictObject({
    behaviour: z.literal('server-error-after-dialing'),
    status: z.int().min(500).max(599).optional(),
    ...behind,
  }),
  /** Never answers the request; dials unless `dials` is false. */
  z.strictObject({ behaviour: z.literal('hang'), dials: z.boolean().optional(), ...behind }),
  z.strictObject({ behaviour: z.literal('drop-after-accepting'), ...behind }),
]);

export const scriptsSchema = z.strictObject({ scripts: z.array(scriptSchema).min(1) });

export const settingsSchema = z.strictObject({
  /** Calls that may be live at once. */
  slots: z.int().min(0),
  /** What happens to a call beyond them: 429, or 201 and then an end for lack of slots. */
  whenFull: z.enum(['refuse', 'accept-then-end']),
  /** Simulated seconds per real second. */
  speed: z.number().positive(),
  /** Lifetime of the signed recording links, on the clock. */
  signedUrlSeconds: z.number().min(0),
});

export type Script = z.infer<typeof scriptSchema>;
export type DialedScript = Extract<Script, { queueSeconds?: number | undefined }>;
export type Life = (typeof lives)[number];
export type Settings = z.infer<typeof settingsSchema>;

export const defaultScript: Script = { behaviour: 'answer' };
export const defaultSettings: Settings = { slots: 10, whenFull: 'refuse', speed: 1, signedUrlSeconds: 3600 };
