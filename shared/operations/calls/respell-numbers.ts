import { type Call, type UnfinishedWork, unfinishedWork } from '../../domain/calls/call.ts';
import { dayClaimMoves } from '../../domain/calls/dialing/day-claims.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { isErasedNumber } from '../../domain/organizations/erased-number.ts';
import { organizationRevision } from '../../domain/organizations/organization-change.ts';
import { canonicalE164 } from '../../domain/text/national-number.ts';
import type { CallSearch } from '../../stores/calls/call-search.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { NumberScan } from '../../stores/organizations/number-scan.ts';
import { type UpdateOrganizationDeps, updateOrganization } from '../organizations/update-organization.ts';

type FindDeps = {
  numberScan: NumberScan;
  calls: Pick<CallStore, 'unfinished'>;
  search: Pick<CallSearch, 'getMany'>;
};

export type RespellNumbersDeps = UpdateOrganizationDeps &
  FindDeps & {
    calls: Pick<CallStore, 'get' | 'respelling'>;
    claims: Pick<ClaimStore, 'taking' | 'freeing'>;
    doNotCall: Pick<DoNotCallStore, 'getMany' | 'adding' | 'removing'>;
  };

/**
 * An item with a number that is not in canonical spelling: an entry of a do-not-call list, an organization, or a call.
 */
export type Misspelled =
  | { of: 'do_not_call'; org_id: string; phone: string }
  | { of: 'organization'; org_id: string }
  | { of: 'call'; org_id: string; call_id: string };

/**
 * `left`: items that another writer has changed meanwhile, and calls whose phone another event has claimed for the same
 * day.
 */
export type Respelling = Record<Misspelled['of'], number> & { left: Misspelled[] };

const CALLS_OF_A_PAGE = 100;

const isMisspelled = (phone: string): boolean => !isErasedNumber(phone) && canonicalE164(phone) !== phone;

/**
 * Yields the items of older versions with a number in another spelling, such as `+91098…` (docs/deploy.md, "Respell
 * numbers"): do-not-call lists first, because they keep phones from ringing, then platform numbers and unfinished
 * calls.
 */
export async function* findMisspelled({ numberScan, calls, search }: FindDeps): AsyncGenerator<Misspelled> {
  for await (const { org_id, phone } of numberScan.listed())
    if (isMisspelled(phone)) yield { of: 'do_not_call', org_id, phone };
  for await (const { org_id, numbers } of numberScan.platformNumbers())
    if (numbers.some(isMisspelled)) yield { of: 'organization', org_id };
  for (const work of unfinishedWork)
    for await (const ids of pagesOf(calls, work))
      for (const { org_id, call_id, phone_number } of await search.getMany(ids))
        if (isMisspelled(phone_number)) yield { of: 'call', org_id, call_id };
}

/**
 * Rewrites the numbers of `findMisspelled` in canonical spelling. Each write is conditional on the read item, so that a
 * repeat resumes an interrupted run, and a further repeat changes nothing.
 */
export async function respellNumbers(deps: RespellNumbersDeps, actor: Actor): Promise<Respelling> {
  const done: Respelling = { do_not_call: 0, organization: 0, call: 0, left: [] };
  for await (const found of findMisspelled(deps))
    if (await respell(deps, actor, found)) done[found.of] += 1;
    else done.left.push(found);
  return done;
}

function respell(deps: RespellNumbersDeps, actor: Actor, found: Misspelled): Promise<boolean> {
  switch (found.of) {
    case 'do_not_call':
      return respellEntry(deps, found);
    case 'organization':
      return respellPlatformNumbers(deps, actor, found.org_id);
    case 'call':
      return respellCall(deps, found.call_id);
  }
}

/** Keeps the entry of the canonical spelling if the list has it already. */
async function respellEntry(
  { doNotCall, transact }: RespellNumbersDeps,
  { org_id, phone: former }: { org_id: string; phone: string },
): Promise<boolean> {
  const phone = canonicalE164(former);
  const listed = await doNotCall.getMany(org_id, [former, phone]);
  const entry = listed.find((one) => one.phone === former);
  const hasBoth = listed.some((one) => one.phone === phone);
  if (!entry) return true;
  const result = await transact({
    remove: doNotCall.removing(org_id, former),
    add: hasBoth ? undefined : doNotCall.adding({ ...entry, phone }),
  });
  return result.committed;
}

async function respellPlatformNumbers(deps: RespellNumbersDeps, actor: Actor, org_id: string): Promise<boolean> {
  const org = await deps.organizations.get(org_id);
  if (!org) return true;
  const platform_numbers = [...new Set(org.platform_numbers.map(canonicalE164))];
  const { kind } = await updateOrganization(
    deps,
    actor,
    { org_id },
    { set: { platform_numbers } },
    organizationRevision(org),
  );
  return kind === 'updated';
}

async function respellCall({ calls, claims, transact, now }: RespellNumbersDeps, callId: string): Promise<boolean> {
  const call = await calls.get(callId);
  if (!call) return true;
  const phone = canonicalE164(call.phone_number);
  const { phone: move } = dayClaimMoves(call, { day: call.claims_day ?? '', phone }, now());
  const result = await transact({
    call: calls.respelling(call, phone),
    'take claim': move && claims.taking(move.take),
    'free claim': move && claims.freeing(move.free, move.take.owner_id),
  });
  return result.committed;
}

async function* pagesOf(calls: FindDeps['calls'], work: UnfinishedWork): AsyncGenerator<Call['call_id'][]> {
  let page: string[] = [];
  for await (const { call_id } of calls.unfinished(work)) {
    page.push(call_id);
    if (page.length < CALLS_OF_A_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
