import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import type { Command } from 'commander';
import type { Callback } from '../../shared/domain/after-call/callback.ts';
import { viewTicket } from '../../shared/domain/after-call/ticket-view.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { callStatuses } from '../../shared/domain/calls/call-status.ts';
import { viewCall } from '../../shared/domain/calls/call-view.ts';
import { maskPhone } from '../../shared/domain/text/phone-number.ts';
import { vapi, vapiCredentials } from '../../shared/integrations/voice/vapi/vapi.ts';
import { type Cancelation, cancelCall } from '../../shared/operations/calls/cancel-call.ts';
import { type HangUp, hangUpCall } from '../../shared/operations/calls/hang-up-call.ts';
import { callFiles } from '../../shared/stores/calls/call-files.ts';
import { secretReader } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { findOrg } from './org.ts';
import { facts, printable, table } from './output.ts';
import { oneOf, wholeNumber } from './values.ts';

const CALLS = 50;
const MOST_CALLS = 1_000;

type OfCall = { call: string };

/** Calls: what became of them, and ending them. */
export function addCall(program: Command): void {
  const noun = program.command('call').description('calls');
  ofCall(verb(noun, 'show', 'a call, its transcript, recording and callbacks')).action(acting<OfCall>(show));
  verb(noun, 'list', 'the calls of an org, newest first')
    .requiredOption('--org <id>', 'the org')
    .option('--limit <n>', `calls, up to ${MOST_CALLS}`, String(CALLS))
    .option('--status <status>', `only ${callStatuses.join(', ')}`)
    .action(acting<{ org: string; limit: string; status?: string }>(list));
  ofCall(verb(noun, 'cancel', 'ends a call that waits for its window or its dial; what it holds comes back')).action(
    acting<OfCall>(cancel),
  );
  ofCall(verb(noun, 'hangup', 'asks the voice platform to end a live call')).action(acting<OfCall>(hangUp));
}

const ofCall = (command: Command): Command => command.requiredOption('--call <id>', 'the call');

const notFound = (callId: string) => new Refusal('call_not_found', `There is no call ${callId}.`);

async function find(cloud: Cloud, callId: string): Promise<Call> {
  const call = await cloud.calls.get(callId);
  if (!call) throw notFound(callId);
  return call;
}

/** The Call object and what only operators see of it. */
const view = (call: Call) => ({
  ...viewCall(call),
  org_id: call.org_id,
  created_at: call.created_at,
  dial_by: call.dial_by,
  scheduled_for: call.scheduled_for ?? null,
  attempts: call.attempts,
  crm_b: viewCrmB(call),
  analysis_state: call.analysis?.state ?? null,
  analysis_error: call.analysis?.error ?? null,
  analysis_is_cut: call.analysis?.is_cut ?? false,
  analyzed_at: call.analyzed_at ?? null,
  lead_intent: call.analysis?.result?.lead_intent ?? null,
  issue_summary: call.analysis?.result?.issue_summary ?? null,
  do_not_call: call.analysis?.result?.do_not_call ?? null,
  ticket: viewTicket(call),
  metadata: call.metadata ?? {},
});

/** What CRM-B was told of the call; null where it is none of its. */
function viewCrmB({ crm_b_sync, call_log, note, crm_b_sync_error }: Call) {
  if (!crm_b_sync) return null;
  const errors = [call_log?.error, note?.error, crm_b_sync_error].filter((error) => error !== undefined);
  return { call_log_id: call_log?.id ?? null, note_id: note?.id ?? null, error: errors.join('; ') || null };
}

type CallbackRow = {
  type: string;
  at: string | null;
  status_code: number | null;
  error: string | null;
  next_attempt_at: string | null;
};

/** One row per attempt made; the last one of a notification that is still pending tells the next. */
function viewCallback({ type, attempts, state, next_attempt_at }: Callback): CallbackRow[] {
  const next = next_attempt_at ?? null;
  if (attempts.length === 0 && state === 'pending')
    return [{ type, at: null, status_code: null, error: null, next_attempt_at: next }];
  return attempts.map(({ at, status_code, error }, index) => ({
    type,
    at,
    status_code: status_code ?? null,
    error: error ?? null,
    next_attempt_at: index === attempts.length - 1 ? next : null,
  }));
}

const instantOf = ({ at, next_attempt_at }: CallbackRow): string => at ?? next_attempt_at ?? '';

async function show(cloud: Cloud, flags: OfCall): Promise<Answer> {
  const call = await find(cloud, flags.call);
  const [transcript, callbacks] = await Promise.all([
    readTranscript(cloud, call),
    cloud.callbacks.listOfCall(call.call_id),
  ]);
  const { state, key = null, error = null } = call.recording ?? {};
  const json = {
    ...view(call),
    transcript,
    recording: state ? { state, key, error } : null,
    callbacks: callbacks.flatMap(viewCallback).sort((one, other) => instantOf(one).localeCompare(instantOf(other))),
  };
  const { transcript: _, callbacks: rows, recording, ...rest } = json;
  const people = [
    facts({ ...rest, recording: recording && [recording.state, recording.key ?? recording.error].filter(Boolean) }),
    transcript === null ? 'No transcript.' : `transcript:\n${printable(transcript)}`,
    table(
      ['callback', 'at', 'status', 'error', 'next attempt'],
      rows.map((row) => [row.type, row.at, row.status_code, row.error, row.next_attempt_at]),
      'No callbacks.',
    ),
  ].join('\n\n');
  return { json, people };
}

async function readTranscript(cloud: Cloud, { transcript_key }: Call): Promise<string | null> {
  if (!transcript_key) return null;
  const files = callFiles(cloud.s3(), await cloud.filesBucket());
  return (await files.getTranscript(transcript_key)) ?? null;
}

async function list(cloud: Cloud, flags: { org: string; limit: string; status?: string }): Promise<Answer> {
  const limit = wholeNumber('--limit', flags.limit, { least: 1, most: MOST_CALLS });
  const status = flags.status === undefined ? undefined : oneOf('--status', flags.status, callStatuses);
  const { org_id } = await findOrg(cloud, flags.org);
  const calls = (await cloud.calls.listOfOrg(org_id, { limit, ...(status && { status }) })).map(view);
  const rows = calls.map((call) => [
    call.created_at,
    call.id,
    call.status,
    maskPhone(call.phone_number),
    call.duration,
    call.cost,
    call.ended_reason,
  ]);
  return {
    json: { calls },
    people: table(['created_at', 'call', 'status', 'phone', 'seconds', 'cost', 'reason'], rows, 'No calls.'),
  };
}

const canceling: Record<Exclude<Cancelation, 'canceled' | 'call_not_found'>, string> = {
  already_ended: 'The call has ended already.',
  already_dialed: 'The call is being dialed or live: end it with call hangup.',
};

async function cancel(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  // Nobody was on the line, so nothing can go beyond its hold; and a metric would be a line in our answer.
  const result = await cancelCall({ ...cloud, count: () => undefined }, callId);
  if (result === 'call_not_found') throw notFound(callId);
  if (result !== 'canceled') throw new Refusal(result, canceling[result]);
  const json = view(await find(cloud, callId));
  return { json, people: `The call is canceled; what it held of the credit is released.\n\n${facts(json)}` };
}

const hangingUp: Record<Exclude<HangUp, 'asked' | 'call_not_found'>, string> = {
  already_ended: 'The call has ended already.',
  not_live: 'The call is not live: one that waits for its dial is ended with call cancel.',
};

async function hangUp(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  const voice = vapi({
    url: await voiceUrl(cloud),
    credentials: secretReader(cloud.secrets, cloud.named.secret('voice'), vapiCredentials),
    now: cloud.now,
  });
  const result = await hangUpCall({ calls: cloud.calls, voice }, callId).catch((error: Error) => {
    // The adapter's own words for a platform that cannot be reached or refuses our key.
    if (/^voice platform: /.test(error.message))
      throw new Refusal('unavailable', `The call was not ended; ${error.message}. Try again.`);
    throw error;
  });
  if (result === 'call_not_found') throw notFound(callId);
  if (result !== 'asked') throw new Refusal(result, hangingUp[result]);
  const json = view(await find(cloud, callId));
  return { json, people: `The voice platform was asked to end the call; its report follows.\n\n${facts(json)}` };
}

async function voiceUrl(cloud: Cloud): Promise<string> {
  if (cloud.voiceUrl) return cloud.voiceUrl;
  const name = cloud.named.function('dial-call');
  const { Environment } = await cloud.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const url = Environment?.Variables?.VOICE_API_URL;
  if (!url) throw new Refusal('not_deployed', `${name} does not say where the voice platform is: set VOICE_API_URL.`);
  return url;
}
