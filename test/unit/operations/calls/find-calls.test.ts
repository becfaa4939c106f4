import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { CallFilter } from '../../../../shared/domain/calls/call-filter.ts';
import { claimFor } from '../../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { callIdFor, connectionIdFor } from '../../../../shared/domain/ids.ts';
import { findCalls } from '../../../../shared/operations/calls/find-calls.ts';
import { callSearch } from '../../../../shared/stores/calls/call-search.ts';
import type { CallPosition } from '../../../../shared/stores/calls/calls.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { clientOf } from '../../support/worlds/database.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const at = (minute: number) => new Date(Date.parse(START) - minute * 60_000).toISOString();

function aLog(...calls: Partial<Call>[]) {
  const world = aWorld({ organizations: [anOrg()] });
  const deps = { ...world.common, calls: { ...world.stores.calls, ...callSearch(clientOf(world.send), 'calls') } };
  calls.forEach((over, index) => {
    world.putCall(aCall({ org_id: ORG, call_id: `call_${index}`, created_at: at(index), ...over }));
  });
  const find = async (
    text: string,
    { filter = {}, ...more }: { filter?: CallFilter; limit?: number; before?: CallPosition } = {},
  ) => {
    const page = await findCalls(deps, ORG, { text, filter, limit: 50, ...more });
    return { ...page, ids: page.items.map(({ call_id }) => call_id) };
  };
  return Object.assign(world, { find });
}

const idsOf = async (found: Promise<{ ids: string[] }>) => (await found).ids;

describe('a search for calls', () => {
  it('finds a call by its id, but not in another organization and not against the filter', async () => {
    const log = aLog({}, { org_id: 'org2' });
    expect(await idsOf(log.find('call_0'))).toEqual(['call_0']);
    expect(await idsOf(log.find('call_1'))).toEqual([]);
    expect(await idsOf(log.find('call_0', { filter: { status: 'busy' } }))).toEqual([]);
  });

  it('finds a call by its idempotency key', async () => {
    const call_id = callIdFor(ORG, 'order-7');
    expect(await idsOf(aLog({ call_id }).find('order-7'))).toEqual([call_id]);
  });

  it.each([
    '+919812345678',
    '+91 98123 45678',
    '98123-45678',
    '098123 45678',
    '(+91) 98123 45678',
    '00919812345678',
    ' 9812345678 ',
  ])('finds every call to a number that is written as %s, newest first', async (text) => {
    const log = aLog({}, { phone_number: '+919812345679' }, {}, { org_id: 'org2' });
    expect(await idsOf(log.find(text))).toEqual(['call_0', 'call_2']);
  });

  it('lists the calls to a number page by page, within the times', async () => {
    const log = aLog({}, {}, {}, {}, {});
    const first = await log.find('9812345678', { limit: 2 });
    expect([first.ids, first.searchedTo]).toEqual([['call_0', 'call_1'], at(1)]);
    const { next: before } = first;
    expect(await idsOf(log.find('9812345678', { limit: 3, ...(before && { before }) }))).toEqual([
      'call_2',
      'call_3',
      'call_4',
    ]);
    const filter = { from: at(3), to: at(2) };
    expect(await idsOf(log.find('9812345678', { filter }))).toEqual(['call_2', 'call_3']);
    expect(await idsOf(log.find('9812345678', { filter, ...(before && { before }) }))).toEqual([]);
    expect(await idsOf(log.find('9812345678', { filter: { from: at(2), to: at(3) } }))).toEqual([]);
  });

  it('finds a call by its present number', async () => {
    const log = aLog({ lead: aCalledLead() });
    const call = log.callOf('call_0');
    const lead = aCalledLead();
    await log.common.transact({
      call: log.stores.calls.changingTerms(call, { phone_number: '+919812345670', lead }),
    });
    expect([await idsOf(log.find('9812345678')), await idsOf(log.find('9812345670'))]).toEqual([[], ['call_0']]);
    const later = { dial_by: at(-9), dial_after: at(-5), lead };
    const waiting = log.callOf('call_0');
    const scheduled = { ...later, scheduled_for: at(-5), phone_number: '+919812345671' };
    await log.common.transact({ call: log.stores.calls.postponing(waiting, START, scheduled) });
    expect(await idsOf(log.find('9812345671'))).toEqual(['call_0']);
    const { assistant_id, assistant_name, rate, max_duration_seconds } = waiting;
    const terms = { assistant_id, assistant_name, rate, max_duration_seconds, held: 0, holds: 0 };
    const queued = { ...later, ...terms, phone_number: '+919812345672' };
    await log.common.transact({ call: log.stores.calls.releasing(log.callOf('call_0'), START, queued) });
    expect(await idsOf(log.find('9812345672'))).toEqual(['call_0']);
  });

  it('finds the calls of a lead by its day claims, and calls that freed their claims by the same number', async () => {
    const lead = aCalledLead({ lead_id: '5725767000000123456' });
    const log = aLog({ lead }, { lead, status: 'failed' }, {}, { lead: aCalledLead({ lead_id: 'other' }) });
    const claim = (crm: string, day: string, callId: string) =>
      log.put(
        'claims',
        claimFor(leadClaimKey(connectionIdFor(ORG, crm), lead.lead_id, day), {
          ownerId: 'evt_1',
          callId,
          now: new Date(START),
        }),
      );
    claim('crm-b', '2025-12-01', 'call_0');
    expect(await idsOf(log.find(lead.lead_id))).toEqual(['call_0', 'call_1']);
    // Claims are kept for 92 days.
    expect(log.logged).toEqual([]);
    expect(await idsOf(log.find('5725767000000999999'))).toEqual([]);
  });

  it("finds the call of a lead that rang no phone, and so has no claim, by the lead's Activity", async () => {
    const lead = aCalledLead({ lead_id: 'lead-9' });
    const log = aLog({ lead, status: 'failed' }, { org_id: 'org2' });
    const entry = { event: 'new_lead', test: false, outcome: 'call queued', reason: 'r', payload_keys: [] };
    const add = (crm: string, event_id: string, call_id: string) =>
      log.put('activity', {
        ...{ ...entry, connection_id: connectionIdFor(ORG, crm), event_id, org_id: ORG, at: START, source: 'webhook' },
        ...{ lead_id: 'lead-9', call_id, expires_at: 4_000_000_000 },
      });
    add('crm-a', 'evt_1', 'call_0');
    add('crm-b', 'evt_2', 'call_1');
    expect(await idsOf(log.find('lead-9'))).toEqual(['call_0']);
  });

  it('finds no call by text that is not a number', async () => {
    for (const text of ['order-98123456', '98123', '+9198123456789012345', '+'.repeat(200)])
      expect(await idsOf(aLog({}).find(text))).toEqual([]);
  });
});
