import type { Call } from '../../../../shared/domain/calls/call.ts';
import { callStatuses } from '../../../../shared/domain/calls/call-status.ts';
import { withKeptFiles } from '../../../../shared/domain/calls/retention/kept-files.ts';
import { maskPhone } from '../../../../shared/domain/text/phone-number.ts';
import { callFiles } from '../../../../shared/stores/calls/files/call-files.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { callNotFound, findOrg } from '../../cloud/records.ts';
import { facts, paragraphs, printable, table } from '../../output.ts';
import { oneOf, wholeNumber } from '../../values.ts';
import { type Answer, type Noun, type OfOrg, optional, orgOption, required, verb } from '../../verb.ts';
import { cancel, forceEnd, hangUp, type OfCall } from './end.ts';
import { erase } from './erase.ts';
import { viewCallbacks, viewCallForOperators } from './view.ts';

const CALLS = 50;
const MAX_CALLS = 1_000;

type Listing = OfOrg & { limit: string; status?: string };

const callOption = required('--call <id>', 'call ID');

export const call: Noun = {
  name: 'call',
  summary: 'Calls',
  verbs: [
    verb<OfCall>({
      usage: 'show',
      summary: 'Shows a call, its transcript, recording and callbacks',
      options: [callOption],
      act: show,
    }),
    verb<Listing>({
      usage: 'list',
      summary: 'Lists the calls of an organization, newest first',
      options: [
        orgOption,
        optional('--limit <n>', `calls, at most ${MAX_CALLS}`, String(CALLS)),
        optional('--status <status>', `only ${callStatuses.join(', ')}`),
      ],
      act: list,
    }),
    verb<OfCall>({
      usage: 'cancel',
      summary: 'Cancels a scheduled or waiting call and releases its held credit',
      options: [callOption],
      act: cancel,
    }),
    verb<OfCall>({
      usage: 'hangup',
      summary: 'Ends a live call through the voice platform',
      options: [callOption],
      act: hangUp,
    }),
    verb<OfCall & { force?: boolean }>({
      usage: 'end',
      summary: 'Ends a dialed call that the voice platform does not end',
      options: [callOption, optional('--force', 'end it without the report of the platform, and without a charge')],
      act: forceEnd,
    }),
    verb<OfCall>({
      usage: 'erase',
      summary:
        'Erases a call for good, unless it is live, with its transcript, recording and copy at the voice platform',
      options: [callOption],
      act: erase,
    }),
  ],
};

async function show(cloud: Cloud, flags: OfCall): Promise<Answer> {
  const call = await cloud.calls.getToShow(flags.call);
  if (!call) throw callNotFound(flags.call);
  const found = withKeptFiles(call, cloud.now());
  const [transcript, stored] = await Promise.all([
    readTranscript(cloud, found),
    cloud.callbacks.listToShow(found.call_id),
  ]);
  const { state, key = null, error = null } = found.recording ?? {};
  const view = viewCallForOperators(found);
  const recording = state ? { state, key, error } : null;
  const callbacks = viewCallbacks(stored);
  const people = paragraphs(
    facts({ ...view, recording: recording && [recording.state, recording.key ?? recording.error].filter(Boolean) }),
    transcript === null ? 'No transcript.' : `transcript:\n${printable(transcript)}`,
    table(
      ['callback', 'at', 'status', 'error', 'next attempt'],
      callbacks.map((row) => [row.type, row.at, row.status_code, row.error, row.next_attempt_at]),
      'No callbacks.',
    ),
  );
  return { json: { ...view, transcript, recording, callbacks }, people };
}

async function readTranscript(cloud: Cloud, { transcript_key }: Pick<Call, 'transcript_key'>): Promise<string | null> {
  if (!transcript_key) return null;
  const files = callFiles(cloud.s3(), await cloud.filesBucket());
  return (await files.getTranscript(transcript_key)) ?? null;
}

async function list(cloud: Cloud, flags: Listing): Promise<Answer> {
  const limit = wholeNumber('--limit', flags.limit, { least: 1, most: MAX_CALLS });
  const status = flags.status === undefined ? undefined : oneOf('--status', flags.status, callStatuses);
  const { org_id } = await findOrg(cloud, flags.org);
  const found = await cloud.calls.listOfOrg(org_id, { limit, ...(status && { status }) });
  const calls = found.map(viewCallForOperators);
  const rows = calls.map((one) => [
    one.created_at,
    one.id,
    one.status,
    maskPhone(one.phone_number),
    one.duration,
    one.cost,
    one.ended_reason,
  ]);
  return {
    json: { calls },
    people: table(['created_at', 'call', 'status', 'phone', 'seconds', 'cost', 'reason'], rows, 'No calls.'),
  };
}
