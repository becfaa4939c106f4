import type { Call } from '../../../../shared/domain/calls/call.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { showCall } from '../../../../shared/operations/after-call/show-call.ts';
import { findCalls } from '../../../../shared/operations/calls/find-calls.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { leaveTombstone } from '../../../../shared/operations/calls/leave-tombstone.ts';
import { listCalls } from '../../../../shared/operations/calls/list-calls.ts';
import { listCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { placeOutboundCall } from '../../../../shared/operations/calls/steps/place-outbound-call.ts';
import { aClaimedCall } from '../../support/call.ts';
import { aCrmAEvent, CALL, crmALeads } from '../../support/crm-a-leads.ts';
import { aReport, callWorld } from '../../support/worlds/call-world.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const DAY = 86_400;
const keep = { recordings: 30, transcripts: 30, calls: 30, activity: 7 };
const apiKey = newApiKey(ORG);
const call_id = callIdFor(ORG, 'order-7');
const removedAfter = (days: number) => Math.floor(Date.parse(START) / 1000) + (days + 2) * DAY;

/** A call that is kept for 30 days, and has ended now. */
async function anEndedCall(over: Partial<Call> = {}) {
  const key = { key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k', permissions: ['calls:read'] };
  const call = aClaimedCall({ call_id, idempotency_key: 'order-7', keep, platform_id: 'p1', ...over });
  const world = callWorld([call], {
    'api-keys': [{ ...key, created_at: START, last_used_at: secondsAfter(START, 30 * DAY) }],
  });
  const { started_at: _, ...report } = aReport({ outcome: 'completed', ended_at: START });
  await world.apply({ ...report, started_at: secondsAfter(START, -90) }, call_id);
  return world;
}

type Removing = 'callOf' | 'remove' | 'stores' | 'common';

/** The table removes the call, and its stream reports it. */
async function remove(world: Pick<Awaited<ReturnType<typeof anEndedCall>>, Removing>, id = call_id) {
  const removed = world.callOf(id);
  world.remove('calls', { call_id: id });
  await leaveTombstone({ ...world.common, erasures: world.stores.erasures }, removed);
}

describe('a call with a retention', () => {
  it('is removed by the table two days after its retention, and not before its end', async () => {
    const call = aClaimedCall({ call_id, keep });
    expect(callWorld([call]).find('calls', { call_id })).not.toHaveProperty('expires_at');
    const world = await anEndedCall();
    expect(world.find('calls', { call_id })).toMatchObject({ status: 'completed', expires_at: removedAfter(30) });
  });

  it('is stored without limit if its organization has no retention of calls', async () => {
    const world = await anEndedCall({ keep: { recordings: 7 } });
    expect(world.find('calls', { call_id })).not.toHaveProperty('expires_at');
  });

  it('is found by no reader once its retention has passed, even if the table still has it', async () => {
    const world = await anEndedCall();
    const common = { ...world.common, calls: { ...world.stores.calls, ...world.stores.search } };
    const show = { ...common, transcriptStart: async () => ({ text: '', isCut: false }), log: () => {} };
    const readers = async () => [
      (await getCall(world.common, `Bearer ${apiKey}`, call_id)).kind,
      (await showCall(show, ORG, call_id)).kind,
      (await listCalls(common, ORG, {}, { limit: 9 })).items.length,
      (await listCalls(common, ORG, { status: 'completed' }, { limit: 9 })).items.length,
      (await findCalls(common, ORG, { text: 'order-7', filter: {}, limit: 9 })).items.length,
    ];
    world.pass(30 * DAY - 1);
    expect(await readers()).toEqual(['found', 'found', 1, 1, 1]);
    world.pass(1);
    expect(await readers()).toEqual(['call_not_found', 'call_not_found', 0, 0, 0]);
    expect(world.find('calls', { call_id })).toBeDefined();
  });

  it('answers no repeat of its request once its retention has passed, even if the table still has it', async () => {
    const world = await anEndedCall();
    const repeat = async (isOnDoNotCallList: boolean) => {
      const facts = { org: anOrg(), assistant: anAssistant(), isOnDoNotCallList };
      const placed = { call_id, request_id: 'r2', phone_number: '+919876543210', request_metadata: {} };
      return (await placeOutboundCall(world.common, facts, { ...placed, idempotency_key: 'order-7' })).kind;
    };
    const repeats = async () => [await repeat(false), await repeat(true)];
    world.pass(30 * DAY - 1);
    expect(await repeats()).toEqual(['replayed', 'replayed']);
    world.pass(1);
    expect(await repeats()).toEqual(['call_erased', 'call_erased']);
    expect(world.all('calls')).toHaveLength(1);
  });

  it('keeps its charge and its counters, without the person', async () => {
    const world = await anEndedCall();
    const books = () => [world.all('credit-ledger'), world.all('usage'), world.all('organizations')];
    const before = structuredClone(books());
    await remove(world);
    expect(books()).toEqual(before);
    const { items } = await listCreditEntries(world.common, ORG, { limit: 9 });
    expect(items.map(({ entry, call }) => [entry.call_id, call])).toEqual(items.map(() => [call_id, undefined]));
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(world.snapshot())).not.toContain(aClaimedCall().phone_number);
  });
});

describe('the rest of a removed call', () => {
  it('prevents another ring for its idempotency key', async () => {
    const world = await anEndedCall();
    const removed = world.callOf(call_id);
    await remove(world);
    const tombstone = world.find('calls', { call_id });
    // The stream may deliver it twice.
    world.pass(60);
    await leaveTombstone({ ...world.common, erasures: world.stores.erasures }, removed);
    expect(world.find('calls', { call_id })).toEqual(tombstone);
    const facts = { org: anOrg(), assistant: anAssistant(), earlier: undefined, isOnDoNotCallList: false };
    const placed = { call_id, request_id: 'r2', phone_number: '+919876543210', request_metadata: {} };
    expect(await placeOutboundCall(world.common, facts, placed)).toEqual({ kind: 'call_erased' });
  });

  it("prevents another ring for its lead's event, even after its Activity and its claims have expired", async () => {
    const world = crmALeads({ organizations: [anOrg({ retention_calls: 7, retention_activity: 7 })] });
    expect(await world.process()).toBe('call queued');
    expect(world.entries()[0]?.expires_at).toBe(removedAfter(5));
    for (const { claim } of world.all('claims')) world.remove('claims', { claim });
    for (const { connection_id, event_id } of world.entries()) world.remove('activity', { connection_id, event_id });
    await remove(world, CALL);
    world.pass(10 * DAY);
    expect(await world.process(aCrmAEvent())).toBe('ignored');
    expect(world.entries()).toMatchObject([{ outcome: 'ignored', reason: 'The call of this event was erased.' }]);
  });

  it('names its copies elsewhere, so that they can still be erased, even if its id was random', async () => {
    for (const idempotency_key of ['order-7', undefined]) {
      const world = await anEndedCall({ idempotency_key, note: { state: 'written', at: START, id: 'note-1' } });
      await remove(world);
      expect(world.find('calls', { call_id })).toMatchObject({
        ...{ erased_of: ORG, platform_ids: ['p1'] },
        found: { platform_calls: 1, remote_records: [{ system: 'crm-b', record: 'note', id: 'note-1' }] },
      });
    }
  });

  it('names requests whose result the service never learned, even if its id was random and no other copy is known', async () => {
    const lost = { platform_id: undefined, ended_reason: 'platform_unreachable' };
    for (const [over, unconfirmed] of [
      [{ ...lost }, ['dial']],
      [{ ...lost, note: { state: 'unconfirmed' as const, at: START } }, ['note', 'dial']],
    ] as const) {
      const world = await anEndedCall({ idempotency_key: undefined });
      world.putCall({ ...world.callOf(call_id), ...over });
      await remove(world);
      expect(world.find('calls', { call_id })).toMatchObject({ found: { platform_calls: 0, unconfirmed } });
    }
  });

  it('does not exist if the id was random and no copy exists elsewhere', async () => {
    const world = await anEndedCall({ idempotency_key: undefined });
    world.putCall({ ...world.callOf(call_id), platform_id: undefined });
    await remove(world);
    expect(world.all('calls')).toEqual([]);
  });
});
