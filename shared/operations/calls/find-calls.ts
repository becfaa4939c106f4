import type { Call } from '../../domain/calls/call.ts';
import { type CallFilter, matchesFilter } from '../../domain/calls/call-filter.ts';
import { CLAIM_DAYS } from '../../domain/calls/dialing/claim.ts';
import { leadClaimKey } from '../../domain/calls/dialing/day-claims.ts';
import { isKept } from '../../domain/calls/retention/kept-files.ts';
import { callIdFor, connectionIdFor } from '../../domain/ids.ts';
import type { Shown } from '../../domain/newer-values.ts';
import { toE164 } from '../../domain/text/national-number.ts';
import { istDays } from '../../domain/time/ist-day.ts';
import type { CallSearch } from '../../stores/calls/call-search.ts';
import type { CallPosition, CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { CallsPage } from './list-calls.ts';

export type FindCallsDeps = {
  calls: Pick<CallStore, 'getToShow'> & Pick<CallSearch, 'getMany' | 'pageOfPhone'>;
  claims: Pick<ClaimStore, 'callsOf'>;
  activity: Pick<ActivityStore, 'ofLead' | 'entriesOf'>;
  organizations: Pick<OrganizationStore, 'get'>;
  now: () => Date;
};

type Search = {
  text: string;
  filter: CallFilter;
  limit: number;
  /** The `next` of the previous page. */
  before?: CallPosition | undefined;
};

/** Digits with the separators that people use. */
const NUMBER = /^[\d\s\p{Cf}().+/-]+$/u;
const MIN_DIGITS = 7;
const DAY_MS = 86_400_000;
const crms = ['crm-a', 'crm-b'] as const;

/**
 * Finds calls by an exact text, using only keys and indexes, so that the cost does not grow with the number of calls: a
 * call's id, the idempotency key that it was placed with, its number in any usual form, or the id of its lead in the
 * CRM (docs/dashboard.md, "Calls"). Newest first.
 */
export async function findCalls(deps: FindCallsDeps, orgId: string, search: Search): Promise<CallsPage> {
  const { text, filter, before } = search;
  const [byId, byKey, byPhone] = await Promise.all([
    before ? undefined : deps.calls.getToShow(text),
    before ? undefined : deps.calls.getToShow(callIdFor(orgId, text)),
    findByPhone(deps, orgId, search),
  ]);
  const named = [byId, byKey].filter((call) => call !== undefined);
  const isFound = named.length > 0 || byPhone.items.length > 0 || before !== undefined;
  const ofLead = isFound ? [] : await findByLead(deps, orgId, text);
  const now = deps.now();
  const all = new Map([...named, ...byPhone.items, ...ofLead].map((call) => [call.call_id, call]));
  const items = [...all.values()]
    .filter((call) => call.org_id === orgId && matchesFilter(call, filter) && isKept(call, now))
    .sort((one, other) => other.created_at.localeCompare(one.created_at));
  return { ...byPhone, items };
}

async function findByPhone(
  { calls, organizations }: FindCallsDeps,
  orgId: string,
  { text, filter, limit, before }: Search,
): Promise<CallsPage> {
  const mayBeNumber = NUMBER.test(text) && text.replace(/\D/g, '').length >= MIN_DIGITS;
  const region = mayBeNumber ? (await organizations.get(orgId))?.default_region : undefined;
  const phone = region === undefined ? undefined : toE164(text, region);
  if (phone === undefined) return { items: [] };
  const { from, to } = filter;
  // DynamoDB rejects a start key outside the queried range.
  const isOutside = before && ((from && before.created_at < from) || (to && before.created_at > to));
  if ((from && to && from > to) || isOutside) return { items: [] };
  const page = await calls.pageOfPhone(orgId, phone, {
    ...(from && { from }),
    ...(to && { to }),
    limit,
    ...(before && { before }),
  });
  const last = page.last && page.items.at(-1);
  return {
    items: await calls.getMany(page.items.map(({ call_id }) => call_id)),
    ...(last && { next: last, searchedTo: last.created_at }),
  };
}

/**
 * Finds the calls that hold day claims on a lead, the calls that its Activity names, and the lead's other calls to the
 * same numbers, because a call that rang no phone has freed its claims.
 */
async function findByLead(deps: FindCallsDeps, orgId: string, leadId: string): Promise<Shown<Call>[]> {
  const now = deps.now();
  const days = istDays(new Date(now.getTime() - CLAIM_DAYS * DAY_MS), now, CLAIM_DAYS);
  const connections = crms.map((crm) => connectionIdFor(orgId, crm));
  const keys = connections.flatMap((id) => days.map((day) => leadClaimKey(id, leadId, day)));
  const [claimed, ...named] = await Promise.all([
    deps.claims.callsOf(keys),
    ...connections.map((id) => callsOfActivity(deps, id, leadId)),
  ]);
  const found = (await deps.calls.getMany([...claimed, ...named.flat()])).filter(({ org_id }) => org_id === orgId);
  const phones = new Set(found.map(({ phone_number }) => phone_number));
  const others = await Promise.all(
    [...phones].map((phone) => deps.calls.pageOfPhone(orgId, phone, { limit: MAX_OF_A_PHONE })),
  );
  const more = await deps.calls.getMany(others.flatMap(({ items }) => items.map(({ call_id }) => call_id)));
  return [...found, ...more.filter(({ lead }) => lead?.lead_id === leadId)];
}

async function callsOfActivity({ activity }: FindCallsDeps, connectionId: string, leadId: string): Promise<string[]> {
  const { keys } = await activity.ofLead(connectionId, leadId, MAX_EVENTS);
  return (await activity.entriesOf(keys)).flatMap(({ call_id }) => call_id ?? []);
}

const MAX_OF_A_PHONE = 100;
const MAX_EVENTS = 50;
