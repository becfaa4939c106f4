import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { phoneClaimKey } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { erasedNumber } from '../../../../../shared/domain/organizations/erased-number.ts';
import {
  beginErasure,
  type CallErasure,
  eraseCall,
} from '../../../../../shared/operations/after-call/erasure/erase-call.ts';
import { callReceipt } from '../../../../../shared/operations/after-call/erasure/receipts.ts';
import { leaveTombstone } from '../../../../../shared/operations/calls/leave-tombstone.ts';
import { aCall, aClaimedCall } from '../../../support/call.ts';
import { operator } from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  LEAD,
  PHONE,
} from '../../../support/erasure/person.ts';
import { MONDAY, ORG } from '../../../support/worlds/items.ts';
import { LIST_KEY } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const ID = idOf(1);
const AT = '2026-03-01T06:03:00.000Z';
/** The claim on the lead names its id in the CRM, and stays. */
const ofPerson = canaries.filter((word) => word !== LEAD);

type World = ReturnType<typeof aPersonsWorld>;

const erase = (world: World, callId = ID) => eraseCall(world.deps, operator, callId);

function receiptOf(world: World, erased: Extract<CallErasure, { kind: 'erased' }>) {
  return callReceipt({ ...world.common, personKey: 'key' }, operator, erased);
}

describe('erasing a call', () => {
  it('removes it from every table, the bucket and the voice platform, and reports the removed data', async () => {
    const world = aPersonsWorld();
    const money = () => [world.all('credit-ledger'), world.all('organizations'), world.all('usage')];
    const before = structuredClone(money());
    expect(world.left(ofPerson)).toEqual(ofPerson);

    const erased = await erase(world);

    expect(world.left(ofPerson)).toEqual([]);
    expect([world.files.size, world.atPlatform.size]).toEqual([0, 0]);
    expect(erased).toMatchObject({
      kind: 'erased',
      tombstone: {
        call_id: ID,
        found: {
          ...{ files: 4, callbacks: 1, activity: 2, claims: 2, platform_calls: 3 },
          remote_records: [{ system: 'crm-b', record: 'note', id: 'note-1', at: expect.any(String) }],
        },
      },
    });
    expect(money()).toEqual(before);
    expect(await world.stores.calls.listOfOrg(ORG, { limit: 9 })).toEqual([]);
    expect(world.all('activity').map(({ outcome, call_id }) => [outcome, call_id])).toEqual([
      ['call queued', ID],
      ['expired', ID],
    ]);
    expect(world.auditEntries().map(({ action }) => action)).toEqual(['call.erased']);
  });

  it('does not change other calls of the person or of the organization', async () => {
    const other = aCallOfPerson(2, { lead: undefined });
    const world = aPersonsWorld([aCallOfPerson(), other]);
    const filesOfOther = [...world.files.keys()].filter((key) => key.includes(idOf(2)));
    await erase(world);
    expect(world.callOf(idOf(2))).toMatchObject({ phone_number: other.phone_number });
    expect([...world.files.keys()]).toEqual(filesOfOther);
    expect(world.all('callbacks').map(({ call_id }) => call_id)).toEqual([idOf(2)]);
    expect([...world.atPlatform].sort()).toEqual(['former-2', 'platform-2', 'second-2']);
  });

  it('is complete when it is repeated after a crash at any line, with one audit entry', async () => {
    for await (const [world, cut] of worldThatDies(
      () => aPersonsWorld(),
      (one) => erase(one),
      12,
    )) {
      await erase(world);
      expect([cut, world.left(ofPerson), world.files.size, world.atPlatform.size]).toEqual([cut, [], 0, 0]);
      expect([cut, world.auditEntries().length]).toEqual([cut, 1]);
      const again = await erase(world);
      expect([cut, again.kind === 'erased' && again.tombstone.found.files]).toEqual([cut, 4]);
    }
  });

  it('cancels a waiting call first and frees its credit', async () => {
    const world = aPersonsWorld([], { slots: [{ scope: 'stage', live: 0 }] });
    world.putCall(aCall({ call_id: ID }));
    await erase(world);
    expect(world.all('organizations')[0]).toMatchObject({ available: 110_000, held: 0 });
    expect(world.left(['+919812345678'])).toEqual([]);
    expect(world.auditEntries().map(({ action }) => action)).toEqual(['call.stopped', 'call.erased']);
  });

  it('refuses a live call and changes nothing', async () => {
    const live = aClaimedCall({ call_id: ID, status: 'in_progress', platform_id: 'platform-1' });
    const world = aPersonsWorld([live]);
    const before = world.snapshot();
    expect(await erase(world)).toEqual({ kind: 'live' });
    expect(world.snapshot()).toEqual(before);
    expect(await erase(world, idOf(9))).toEqual({ kind: 'call_not_found' });
  });

  it("keeps today's claim on the number until midnight in India, as a keyed hash", async () => {
    const world = aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    await erase(world);
    expect(world.all('claims').filter(({ claim }) => String(claim).startsWith('phone#'))).toEqual([
      {
        ...{ claim: phoneClaimKey(ORG, erasedNumber(LIST_KEY, ORG, PHONE), MONDAY), owner_id: 'evt_1', call_id: ID },
        ...{ at: world.now, expires_at: Date.parse('2026-03-02T18:30:00.000Z') / 1000 },
      },
    ]);
  });

  it('requests the deletion from the platform until it succeeds', async () => {
    const world = aPersonsWorld();
    world.failures.push('status 503', 'status 503');
    expect(await erase(world)).toMatchObject({ kind: 'erased' });
    expect([world.atPlatform.size, world.slept]).toEqual([0, [1_000, 2_000]]);
  });

  it('reports why the platform may still have one copy, deletes the others, and a repeat deletes it', async () => {
    const world = aPersonsWorld();
    world.failures.push(...Array(5).fill('status 503'));
    expect(await erase(world)).toMatchObject({ kind: 'erased', platform: { kind: 'left', reason: 'status 503' } });
    expect([world.left(ofPerson), [...world.atPlatform]]).toEqual([[], ['former-1']]);
    expect(await erase(world)).toMatchObject({ platform: { kind: 'erased' } });
    expect(world.atPlatform.size).toBe(0);
    expect(world.find('calls', { call_id: ID })).not.toHaveProperty('platform_ids');
  });

  it('does not report a call as deleted that the platform does not know, and a repeat under the right key deletes it', async () => {
    const world = aPersonsWorld();
    const ofOtherAccount = ['platform-1', 'second-1'];
    for (const id of ofOtherAccount) world.atPlatform.delete(id);
    const unknown = await erase(world);
    if (unknown.kind !== 'erased') throw new Error(unknown.kind);
    expect([unknown.platform, world.atPlatform.size, world.slept]).toEqual([{ kind: 'absent' }, 0, []]);
    expect(world.find('calls', { call_id: ID })).toMatchObject({ platform_ids: ofOtherAccount });
    expect(receiptOf(world, unknown)).toMatchObject({
      calls: [{ call_id: ID, platform: 'absent' }],
      remains: expect.arrayContaining([expect.stringMatching(/^data of 1 call at the voice platform, if another acc/)]),
    });

    for (const id of ofOtherAccount) world.atPlatform.add(id);
    const erased = await erase(world);
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    expect(receiptOf(world, erased)).toMatchObject({
      calls: [{ call_id: ID, platform: 'erased' }],
      remains: expect.not.arrayContaining([expect.stringContaining('at the voice platform')]),
    });
    expect(world.atPlatform.size).toBe(0);
    expect(await erase(world)).toMatchObject({ platform: { kind: 'erased' } });
  });

  it('deletes the copy of a second call at the platform that is reported while the erasure begins', async () => {
    const world = aPersonsWorld([aCallOfPerson(1, { second_platform_ids: undefined })]);
    world.atPlatform.add('late');
    world.beforeNextWrite(() => world.putCall({ ...world.callOf(ID), second_platform_ids: new Set(['late']) }));
    expect(await erase(world)).toMatchObject({ tombstone: { found: { platform_calls: 3 } } });
    expect(world.atPlatform.size).toBe(0);
  });

  it('names the records that workers write, or request without an answer yet, while the erasure begins', async () => {
    const marks = { note: { state: 'asked', at: AT }, call_log: undefined, ticket: undefined } as const;
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    const world = aPersonsWorld([aCallOfPerson(1, { ...unfinished, ...marks })], {
      connections: [connectionTo('crm-b')],
    });
    world.remote.add('note note-9');
    world.beforeNextWrite(() =>
      world.putCall({
        ...world.callOf(ID),
        note: { state: 'written', at: AT, id: 'note-9' },
        call_log: { state: 'asked', at: AT },
        ticket: { state: 'asked', at: AT },
      }),
    );
    expect(await erase(world)).toMatchObject({
      tombstone: { found: { unconfirmed: ['call_log', 'ticket'] } },
      records: [{ record: 'note', id: 'note-9', outcome: 'removed' }],
    });
    expect(world.remote.size).toBe(0);
  });

  it('yields a receipt that names remaining data of lead and number: other events and the do-not-call entry', async () => {
    const world = aPersonsWorld();
    world.put('activity', {
      ...{ ...world.all('activity')[0], event_id: 'evt_2', call_id: undefined, outcome: 'insufficient_credits' },
      retryable: JSON.stringify({ lead: { phones: [PHONE], fields: { Last_Name: 'Asha Iyer' } } }),
    });
    const erased = await erase(world);
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    expect(world.left(['Asha Iyer'])).toEqual(['Asha Iyer']);
    expect(receiptOf(world, erased).remains).toEqual(
      expect.arrayContaining([
        "Activity of other events of the call's lead, with its data, until it expires: person erase reduces it",
        'tables that a restore has replaced, until an operator deletes them',
        'the number on the do-not-call list, if it is listed',
      ]),
    );
  });

  it('waits for workers also if work on a finished call begins while its erasure begins', async () => {
    const world = aPersonsWorld();
    world.beforeNextWrite(() => world.putCall({ ...world.callOf(ID), unfinished: 'ended' }));
    await erase(world);
    expect(world.slept).toEqual([90_000]);
  });

  it('waits for workers that may have read an unfinished call, and removes the data that they store', async () => {
    const world = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
    world.duringFirstWait(() => void world.files.set(`recordings/${ORG}/${ID}.mp3`, 'a flat by the lake'));
    await erase(world);
    expect([world.left(ofPerson), world.slept]).toEqual([[], [90_000]]);
  });
});

describe('an erasure that another machine has begun', () => {
  it.each([-3_600, -120, 0, 3_600])(
    'waits for workers by its own clock, although the other clock is %i s ahead or behind',
    async (seconds) => {
      const world = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
      world.pass(seconds);
      await beginErasure(world.deps, operator, ID);
      world.pass(-seconds);
      world.duringFirstWait(() => void world.files.set(`recordings/${ORG}/${ID}.mp3`, 'a flat by the lake'));
      await erase(world);
      expect([world.slept, world.left(ofPerson)]).toEqual([[90_000], []]);
    },
  );

  it('does not wait if the call had no unfinished work', async () => {
    const world = aPersonsWorld();
    await beginErasure(world.deps, operator, ID);
    await erase(world);
    expect(world.slept).toEqual([]);
  });
});

describe('erasing a call that its retention has removed', () => {
  /** Only what retention does not reach is left, and a long transcript whose report was never applied. */
  async function aRemovedCall(over: Partial<Call> = {}) {
    const world = aPersonsWorld([aCallOfPerson(1, { keep: { calls: 7 }, ...over })], {
      connections: [connectionTo('crm-b')],
    });
    const removed = world.callOf(ID);
    world.remove('calls', { call_id: ID });
    for (const key of world.files.keys()) if (!key.startsWith('reported-')) world.files.delete(key);
    for (const { call_id, webhook_id } of world.all('callbacks')) world.remove('callbacks', { call_id, webhook_id });
    await leaveTombstone({ ...world.common, erasures: world.stores.erasures }, removed);
    return world;
  }

  it('removes its copy at the voice platform, its records elsewhere and its last files, with one audit entry', async () => {
    for (const over of [{}, { lead: undefined, idempotency_key: undefined }]) {
      const world = await aRemovedCall(over);
      const buried = JSON.stringify(world.find('calls', { call_id: ID }));
      expect(canaries.filter((word) => buried.includes(word))).toEqual([]);
      const erased = await erase(world);
      expect([world.atPlatform.size, world.remote.size, world.files.size]).toEqual([0, 0, 0]);
      expect(erased).toMatchObject({
        kind: 'erased',
        tombstone: { found: { files: 1, callbacks: 0, platform_calls: 3 } },
        records: [{ record: 'note', id: 'note-1', outcome: 'removed' }],
      });
      expect(erased.kind === 'erased' && receiptOf(world, erased)).toMatchObject({
        calls: [{ call_id: ID, platform: 'erased', records: [{ outcome: 'removed' }] }],
        remains: expect.arrayContaining([expect.stringContaining('its retention had removed')]),
      });
      const { found, rest_erased_at } = erased.kind === 'erased' ? erased.tombstone : { found: undefined };
      const { records } = erased as Extract<CallErasure, { kind: 'erased' }>;
      world.pass(60);
      expect(await erase(world)).toMatchObject({ tombstone: { found, rest_erased_at }, records });
      expect(world.auditEntries().map(({ action }) => action)).toEqual(['call.erased']);
    }
  });

  it('names the requests whose result the service never learned', async () => {
    const world = await aRemovedCall({ call_log: { state: 'unconfirmed', at: AT } });
    const erased = await erase(world);
    expect(erased.kind === 'erased' && receiptOf(world, erased)).toMatchObject({
      calls: [{ found: { unconfirmed: ['call_log'] } }],
      remains: expect.arrayContaining([expect.stringContaining('"unconfirmed" of 1 call')]),
    });
  });

  it('names the data that is left if the platform does not answer and the connection keeps its records', async () => {
    const world = await aRemovedCall();
    world.put('connections', connectionTo('crm-b', { settings: {} }));
    world.failures.push(...Array(5).fill('status 503'));
    const erased = await erase(world);
    expect(erased).toMatchObject({ platform: { reason: 'status 503' }, records: [{ outcome: 'kept' }] });
    expect(await erase(world)).toMatchObject({ platform: { kind: 'erased' } });
    expect(world.atPlatform.size).toBe(0);
  });

  it('is complete when it is repeated after a crash at any line', async () => {
    for await (const [world, cut] of worldThatDies(
      () => aRemovedCall(),
      (one) => erase(one),
      5,
    )) {
      const erased = await erase(world);
      expect([cut, world.atPlatform.size, world.remote.size, world.files.size]).toEqual([cut, 0, 0, 0]);
      expect([cut, erased.kind === 'erased' && erased.tombstone.found.files]).toEqual([cut, 1]);
      expect([cut, world.auditEntries().length]).toEqual([cut, 1]);
    }
  });
});
