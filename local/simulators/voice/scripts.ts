import * as z from 'zod';

const failureStatus = (...statuses: number[]) =>
  z.number().refine((status) => statuses.includes(status), { error: `must be one of ${statuses.join(', ')}` });

/** Options of every dialed call. Seconds are simulated unless a comment says otherwise. */
const modifiers = {
  /** Time in the queue before the phone rings. */
  queueSeconds: z.number().min(0).optional(),
  /** The ringing time: 4 s by default, 30 s if the person does not answer. */
  ringSeconds: z.number().min(0).optional(),
  talkSeconds: z.number().min(0).optional(),
  /** The conversation; by default a short dialogue that begins with the assistant's firstMessage. */
  transcript: z.array(z.strictObject({ role: z.enum(['bot', 'user']), message: z.string() })).optional(),
  summary: z.string().optional(),
  /** US dollars, in place of the price per minute. */
  cost: z.number().min(0).optional(),
  /** Replaces the usual reason of the behaviour. */
  endedReason: z.string().optional(),
  /** Time from the end of the call to its report. */
  reportSeconds: z.number().min(0).optional(),
  /** Every message is delivered twice, both at once. */
  duplicateMessages: z.boolean().optional(),
  /** Keeps messages until the last one exists, then sends them newest first (true) or shuffled by a seed. */
  shuffleMessages: z.union([z.boolean(), z.int()]).optional(),
  /** Loses the report, or the status-update `ended` and the report. */
  dropLast: z.enum(['report', 'ended-and-report']).optional(),
  /** GET /call omits the call for this many seconds of the clock, which `speed` does not affect. */
  listedAfterSeconds: z.number().min(0).max(30).optional(),
  /** Delays each answer to GET /call that lists the call by this many seconds of the clock. */
  listingSeconds: z.number().min(0).max(30).optional(),
  /** Delays the answer to POST /call by this many seconds of the clock. The call starts after the answer. */
  answerSeconds: z.number().min(0).max(30).optional(),
  /**
   * The answers to the first DELETE requests for the call, which delete nothing: a status, none, or the call with the
   * status `deletion-failed`.
   */
  deleteAnswers: z
    .array(z.union([failureStatus(429, 500, 502, 503, 504), z.enum(['none', 'deletion-failed'])]))
    .optional(),
  noRecording: z.boolean().optional(),
  /** The recording is 404 for this many seconds of the clock after the end, which `speed` does not affect. */
  recordingDelaySeconds: z.number().min(0).optional(),
  /** The recording has this many bytes, and the storage streams it without its length. */
  streamedRecordingBytes: z.int().min(0).optional(),
};

/** The behaviours of a dialed phone. */
const behaviours = [
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

const dialed = <Name extends (typeof behaviours)[number]>(behaviour: Name) =>
  z.strictObject({ behaviour: z.literal(behaviour), ...modifiers });

/** Options of a call whose answer the client never receives. */
const lostAnswerOptions = { phoneBehaviour: z.enum(behaviours).optional(), ...modifiers };

/** The behaviour of one POST /call for a number. */
export const scriptSchema = z.discriminatedUnion('behaviour', [
  dialed('answer'),
  dialed('no-answer'),
  dialed('busy'),
  dialed('voicemail'),
  dialed('platform-fault'),
  dialed('not-started'),
  z.strictObject({
    behaviour: z.literal('transfer'),
    /** By default the first destination of the assistant's transferCall tool. Without either, the transfer fails. */
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
    ...lostAnswerOptions,
  }),
  /** Never answers the request; dials unless `dials` is false. */
  z.strictObject({ behaviour: z.literal('hang'), dials: z.boolean().optional(), ...lostAnswerOptions }),
  z.strictObject({ behaviour: z.literal('drop-after-accepting'), ...lostAnswerOptions }),
]);

export const scriptsSchema = z.strictObject({ scripts: z.array(scriptSchema).min(1) });

export const settingsSchema = z.strictObject({
  /** Calls that may be live at once. */
  slots: z.int().min(0),
  /** A call beyond the slots is refused with 429, or accepted with 201 and then ended. */
  whenFull: z.enum(['refuse', 'accept-then-end']),
  /** Simulated seconds per real second. */
  speed: z.number().positive(),
  /** Lifetime of the signed recording links, on the clock. */
  signedUrlSeconds: z.number().min(0),
});

export type Script = z.infer<typeof scriptSchema>;
export type DialedScript = Extract<Script, { queueSeconds?: number | undefined }>;
export type PhoneBehaviour = (typeof behaviours)[number];
export type Settings = z.infer<typeof settingsSchema>;

export const defaultScript: Script = { behaviour: 'answer' };
export const defaultSettings: Settings = { slots: 10, whenFull: 'refuse', speed: 1, signedUrlSeconds: 3600 };
