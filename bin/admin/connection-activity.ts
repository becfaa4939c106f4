import { type ActivityEntry, retryableOutcomes } from '../../shared/domain/connections/activity.ts';
import { retryLeads } from '../../shared/operations/leads/retry-leads.ts';
import { sendTestEvent } from '../../shared/operations/leads/send-test-event.ts';
import type { Cloud } from './cloud.ts';
import type { Answer, CommonFlags } from './command.ts';
import { findCrm } from './connection-view.ts';
import { table } from './output.ts';
import { instant, oneOf, text, wholeNumber } from './values.ts';

export const MOST_ENTRIES = 5_000;
export const ENTRIES_FOR_PEOPLE = 50;
export const LONGEST_PHONE = 50;

export type OfConnection = { connection: string };
export type TestFlags = { phone?: string; owner?: string; firstName?: string };

const view = (entry: ActivityEntry) => ({
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

/** What came in on a connection and what became of it. */
export async function activity(
  cloud: Cloud,
  { connection, limit, json }: OfConnection & { limit?: string } & CommonFlags,
): Promise<Answer> {
  const usual = json ? MOST_ENTRIES : ENTRIES_FOR_PEOPLE;
  const most = limit === undefined ? usual : wholeNumber('--limit', limit, { least: 1, most: MOST_ENTRIES });
  const { connection_id } = await findCrm(cloud, connection);
  const entries = (await cloud.activity.list(connection_id, most)).map(view);
  const rows = entries.map((one) => [one.at, one.outcome, one.lead_id, one.phone_masked, one.reason, one.call_id]);
  return {
    json: { activity: entries },
    people: table(['at', 'outcome', 'lead', 'phone', 'reason', 'call'], rows, 'Nothing has come in.'),
  };
}

/** A lead that takes the way of the CRM's own. */
export async function testEvent(
  cloud: Cloud,
  { connection, phone, owner, firstName }: OfConnection & TestFlags,
): Promise<Answer> {
  const lead = {
    phone: phone === undefined ? undefined : text('--phone', phone, LONGEST_PHONE),
    owner: owner === undefined ? undefined : text('--owner', owner),
    firstName: firstName === undefined ? undefined : text('--first-name', firstName),
  };
  const found = await findCrm(cloud, connection);
  const event_id = await sendTestEvent({ leadQueue: await cloud.leads(), now: cloud.now }, found, lead);
  return {
    json: { event_id },
    people: `The event ${event_id} is queued; connection activity --connection ${connection} tells what became of it.`,
  };
}

/** Queues the leads of an outcome once more. */
export async function retry(cloud: Cloud, flags: OfConnection & { outcome: string; since: string }): Promise<Answer> {
  const outcome = oneOf('--outcome', flags.outcome, retryableOutcomes);
  const since = instant('--since', flags.since);
  const { connection_id } = await findCrm(cloud, flags.connection);
  const deps = { activity: cloud.activity, leadQueue: await cloud.leads(), now: cloud.now };
  const queued = await retryLeads(deps, connection_id, { outcome, since });
  return {
    json: { queued },
    people:
      queued === 0
        ? `No lead with the outcome ${outcome} since ${since} is left to be tried again.`
        : `Leads queued once more: ${queued}. Those that have their call by now get none again; connection activity tells.`,
  };
}
