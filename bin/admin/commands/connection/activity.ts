import { retryableOutcomes } from '../../../../shared/domain/connections/activity.ts';
import { retryAllLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { sendTestEvent } from '../../../../shared/operations/leads/send-test-event.ts';
import type { StoredEntry } from '../../../../shared/stores/connections/activity.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findCrm } from '../../cloud/records.ts';
import { table } from '../../output.ts';
import { instant, oneOf, text, wholeNumber } from '../../values.ts';
import {
  type Answer,
  type CommonFlags,
  connectionOption,
  type OfConnection,
  optional,
  required,
  verb,
} from '../../verb.ts';

const MAX_ENTRIES = 5_000;
const ENTRIES_FOR_PEOPLE = 50;
const LONGEST_PHONE = 50;

type Listing = OfConnection & { limit?: string };
type TestEvent = OfConnection & { phone?: string; owner?: string; firstName?: string };
type Retry = OfConnection & { outcome: string; since: string };

export const activityVerbs = [
  verb<Listing>({
    usage: 'activity',
    summary: 'Lists the lead events and their outcomes, newest first',
    options: [
      connectionOption,
      optional(
        '--limit <n>',
        `entries, at most ${MAX_ENTRIES} (default: all with --json, ${ENTRIES_FOR_PEOPLE} in a table)`,
      ),
    ],
    act: activity,
  }),
  verb<TestEvent>({
    usage: 'test-event',
    summary: 'Queues a test lead, which causes a real call; the CRM is neither read nor written',
    options: [
      connectionOption,
      optional('--phone <number>', `phone number as the CRM stores it, at most ${LONGEST_PHONE} characters`),
      optional('--owner <id>', 'owner of the lead (default: the user whose leads are called)'),
      optional('--first-name <text>', 'first name of the lead'),
    ],
    act: testEvent,
  }),
  verb<Retry>({
    usage: 'retry',
    summary: 'Decides the leads of an outcome again; no lead is called twice',
    options: [
      connectionOption,
      required('--outcome <outcome>', retryableOutcomes.join(', ')),
      required('--since <instant>', 'earliest arrival of the leads, ISO 8601'),
    ],
    act: retry,
  }),
];

const viewEntry = (entry: StoredEntry) => ({
  id: entry.event_id,
  at: entry.at,
  source: entry.source,
  event: entry.event,
  lead_id: entry.lead_id ?? null,
  phone_masked: entry.phone_masked ?? null,
  owner_id: entry.owner_id ?? null,
  outcome: entry.outcome,
  reason: entry.reason,
  call_id: entry.call_id ?? null,
  scheduled_for: entry.scheduled_for ?? null,
  test: entry.test,
  payload_keys: entry.payload_keys,
});

async function activity(cloud: Cloud, { connection, limit, json }: Listing & CommonFlags): Promise<Answer> {
  const usual = json ? MAX_ENTRIES : ENTRIES_FOR_PEOPLE;
  const most = limit === undefined ? usual : wholeNumber('--limit', limit, { least: 1, most: MAX_ENTRIES });
  const { connection_id } = await findCrm(cloud, connection);
  const entries = (await cloud.activity.list(connection_id, most)).map(viewEntry);
  const rows = entries.map((one) => [one.at, one.outcome, one.lead_id, one.phone_masked, one.reason, one.call_id]);
  return {
    json: { activity: entries },
    people: table(['at', 'outcome', 'lead', 'phone', 'reason', 'call'], rows, 'No lead events yet.'),
  };
}

async function testEvent(cloud: Cloud, { connection, phone, owner, firstName }: TestEvent): Promise<Answer> {
  const lead = {
    phone: phone === undefined ? undefined : text('--phone', phone, LONGEST_PHONE),
    owner: owner === undefined ? undefined : text('--owner', owner),
    firstName: firstName === undefined ? undefined : text('--first-name', firstName),
  };
  const found = await findCrm(cloud, connection);
  const deps = { ...cloud, leadQueue: await cloud.leadQueue() };
  const sent = await sendTestEvent(deps, await cloud.operator(), found, lead);
  // findCrm refuses help desks, and operators are not limited.
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const { event_id } = sent;
  return {
    json: { event_id },
    people: `Event ${event_id} is queued: connection activity --connection ${connection} shows its outcome.`,
  };
}

async function retry(cloud: Cloud, flags: Retry): Promise<Answer> {
  const outcome = oneOf('--outcome', flags.outcome, retryableOutcomes);
  const since = instant('--since', flags.since);
  const connection = await findCrm(cloud, flags.connection);
  const deps = { ...cloud, leadQueue: await cloud.leadQueue() };
  const queued = await retryAllLeads(deps, await cloud.operator(), connection, { outcome, since });
  return {
    json: { queued },
    people:
      queued === 0
        ? `No lead with the outcome ${outcome} since ${since} is left to retry.`
        : `Leads queued again: ${queued}. A lead that has had its call is not called again; connection activity shows the outcomes.`,
  };
}
