import * as z from 'zod/mini';
import type { EndReport, PlatformMessage } from '../../../domain/calls/platform/platform-message.ts';
import { parseJson } from '../../../domain/json.ts';
import { cutReason } from '../../../domain/text/cut-text.ts';
import type { OpenedMessage, ReadMessage } from '../voice-platform.ts';
import { isAccountFault, meaningOf, refusesAccount, refusesNumber } from './ended-reason.ts';
import { talkOf } from './talk.ts';

const instant = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value: string | number, ctx) => {
    const time = new Date(value);
    if (!Number.isNaN(time.getTime())) return time.toISOString();
    ctx.issues.push({ code: 'custom', input: value, message: 'not an instant' });
    return z.NEVER;
  }),
);

/** An invalid member counts as absent, so that one unexpected field never loses the report of a call's end. */
const lenient = <T extends z.core.$ZodType>(schema: T) => z.catch(z.optional(schema), undefined);

/** A call whose reason is too long for its item would never end. */
const endedReason = z.pipe(z.string(), z.transform(cutReason));

const artifact = z.object({
  transcript: lenient(z.string()),
  messages: lenient(z.array(z.unknown())),
  transfers: lenient(z.array(z.unknown())),
});

/**
 * The members of Vapi's Call (OpenAPI, schema Call) that the service uses. Others, including secrets, are dropped here.
 */
export const vapiCallSchema = z.object({
  id: z.string(),
  status: lenient(z.string()),
  createdAt: lenient(instant),
  startedAt: lenient(instant),
  endedAt: lenient(instant),
  updatedAt: lenient(instant),
  endedReason: lenient(endedReason),
  customer: lenient(z.object({ externalId: lenient(z.string()) })),
  artifact: lenient(artifact),
  monitor: lenient(z.object({ controlUrl: lenient(z.string()) })),
});

/** The answer to a dial request. A blocked call is queued until a line is free (Vapi docs, "Call concurrency"). */
export const createdCallSchema = z.extend(vapiCallSchema, {
  subscriptionLimits: lenient(z.object({ concurrencyBlocked: lenient(z.boolean()) })),
});

export type VapiCall = z.infer<typeof vapiCallSchema>;

const messageSchema = z.object({
  message: z.object({
    type: z.string(),
    timestamp: lenient(instant),
    call: vapiCallSchema,
    customer: lenient(z.object({ externalId: lenient(z.string()) })),
    status: lenient(z.string()),
    endedReason: lenient(endedReason),
    startedAt: lenient(instant),
    endedAt: lenient(instant),
    artifact: lenient(artifact),
  }),
});

type Message = z.infer<typeof messageSchema>['message'];

/** Our statuses for Vapi's. `scheduled` and `queued` only mean that Vapi has accepted the call. */
const progress = {
  scheduled: 'dialing',
  queued: 'dialing',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  forwarding: 'in_progress',
} as const;

const isProgress = (status: string | undefined): status is keyof typeof progress =>
  status !== undefined && Object.hasOwn(progress, status);

/** Finds the ids of customers in the text of a message. An id inside a string has escaped quotes and is not found. */
const CALL_IDS = /"externalId"\s*:\s*"([\w-]{1,64})"/g;
/** A message names one call, several times. */
const MOST_CALL_IDS = 4;

/**
 * Opens the text of a server message. Anyone can send a text of some MB whose parsing takes seconds, so the caller
 * authenticates one of the calls that the text names before it calls `read`.
 */
export function openVapiMessage(text: string, now: () => Date): OpenedMessage {
  const callIds = new Set<string>();
  for (const [, id = ''] of text.matchAll(CALL_IDS)) {
    callIds.add(id);
    if (callIds.size === MOST_CALL_IDS) break;
  }
  return {
    callIds: [...callIds],
    read() {
      const body = parseJson(text);
      return body === undefined ? 'not JSON' : readVapiMessage(body, now());
    },
  };
}

/**
 * Reads a parsed server message (Vapi docs, "Server events").
 * @param body the parsed JSON. @param now replaces a missing timestamp.
 * @returns undefined for a message that names no call of ours.
 */
export function readVapiMessage(body: unknown, now: Date): ReadMessage | undefined {
  const parsed = messageSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { message } = parsed.data;
  const callId = message.call.customer?.externalId ?? message.customer?.externalId;
  return callId === undefined ? undefined : { callId, message: usedOf(message, now) };
}

function usedOf(message: Message, now: Date): PlatformMessage | undefined {
  const platformId = message.call.id;
  const at = message.timestamp ?? now.toISOString();
  if (message.type === 'end-of-call-report') return endReport({ ...message.call, ...withoutAbsent(message) }, at);
  if (message.type !== 'status-update') return undefined;
  if (message.status === 'ended')
    return { kind: 'hung_up', platform_id: platformId, at, reason: message.endedReason ?? 'unknown' };
  if (!isProgress(message.status)) return undefined;
  return { kind: 'progress', platform_id: platformId, status: progress[message.status], at };
}

/** The members of the report, which take precedence over those of its call. */
const withoutAbsent = ({ endedReason, startedAt, endedAt, artifact }: Message) =>
  Object.fromEntries(
    Object.entries({ endedReason, startedAt, endedAt, artifact }).filter(([, value]) => value !== undefined),
  );

/** Converts Vapi's record of a call into the message that would report its state. */
export function readVapiCall(call: VapiCall, now: Date): PlatformMessage | undefined {
  if (call.status === 'ended') return endReport(call, call.updatedAt ?? now.toISOString());
  if (!isProgress(call.status)) return undefined;
  const status = progress[call.status];
  // A record has the time of the answer, but not of the ringing.
  const at = status === 'in_progress' ? call.startedAt : undefined;
  return { kind: 'progress', platform_id: call.id, status, ...(at && { at }) };
}

function endReport(call: VapiCall, at: string): EndReport {
  const isTransferred = (call.artifact?.transfers ?? []).length > 0;
  const { outcome, mayHaveConnected } = meaningOf(call.endedReason, isTransferred);
  const isUndialed = outcome === 'not_dialed';
  const transcript = call.artifact?.transcript;
  const lines = talkOf(call.artifact?.messages ?? []);
  return {
    kind: 'report',
    platform_id: call.id,
    outcome,
    reason: call.endedReason ?? 'unknown',
    ...(isUndialed && isAccountFault(call.endedReason) && { is_account_fault: true }),
    ...(isUndialed && refusesAccount(call.endedReason) && { refuses_account: true }),
    ...(isUndialed && refusesNumber(call.endedReason) && { refuses_number: true }),
    ...(mayHaveConnected && call.startedAt !== undefined && { started_at: call.startedAt }),
    ended_at: call.endedAt ?? at,
    ...(call.endedAt === undefined ? { is_end_estimated: true } : { reported_at: at }),
    ...(transcript && { transcript }),
    ...(transcript && lines.length > 0 && { lines }),
  };
}
