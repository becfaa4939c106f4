import type { Call } from '../../../../../shared/domain/calls/call.ts';
import type { PlatformMessage } from '../../../../../shared/domain/calls/platform/platform-message.ts';
import { callIdFor } from '../../../../../shared/domain/ids.ts';
import { storeCallback } from '../../../../../shared/operations/after-call/callbacks/store-callback.ts';
import { type CallErasure, eraseCall } from '../../../../../shared/operations/after-call/erasure/erase-call.ts';
import { callReceipt } from '../../../../../shared/operations/after-call/erasure/receipts.ts';
import { applyVoiceEvent } from '../../../../../shared/operations/calls/apply-voice-event.ts';
import { placeOutboundCall } from '../../../../../shared/operations/calls/steps/place-outbound-call.ts';
import { parseUnlessErased } from '../../../../../shared/stores/calls/call-item.ts';
import { callSearch } from '../../../../../shared/stores/calls/call-search.ts';
import { aResult } from '../../../support/call.ts';
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
import { clientOf } from '../../../support/worlds/database.ts';
import { anAssistant, anOrg, MONDAY, ORG } from '../../../support/worlds/items.ts';

const ID = idOf(1);
/** The claim on the lead names its id in the CRM, and stays. */
const ofPerson = canaries.filter((word) => word !== LEAD);

type World = ReturnType<typeof aPersonsWorld>;

const erase = (world: World, callId = ID) => eraseCall(world.deps, operator, callId);

function receiptOf(world: World, erased: Extract<CallErasure, { kind: 'erased' }>) {
  return callReceipt({ ...world.common, personKey: 'key' }, operator, erased);
}

describe('an erased call', () => {
  const anErasedCall = async (over: Partial<Call> = {}) => {
    const world = aPersonsWorld([aCallOfPerson(1, over)]);
    const read = await world.stores.calls.get(ID);
    if (!read) throw new Error('no call');
    await erase(world);
    return { world, read };
  };

  it('is found by no reader, and its changes cause no events', async () => {
    const { world } = await anErasedCall();
    const search = callSearch(clientOf(world.send), 'calls');
    expect(await world.stores.calls.get(ID)).toBeUndefined();
    expect(await search.getMany([ID])).toEqual([]);
    expect((await world.stores.callBriefs.get(ORG, [ID])).size).toBe(0);
    expect(parseUnlessErased(world.find('calls', { call_id: ID }) ?? {})).toBeUndefined();
  });

  it('does not store a late result of a worker that read it before', async () => {
    const { world, read } = await anErasedCall({ analyzed_at: undefined });
    const { calls } = world.stores;
    const after = world.snapshot();
    const analysis = { state: 'done' as const, result: aResult({ summary: 'Asha Iyer' }) };
    const late = calls.analyzing(read, { analysis, putsOnList: false }, world.now);
    const number = world.stores.doNotCall.adding({ org_id: ORG, phone: read.phone_number, added_at: world.now });
    const event = { call_id: ID, type: 'call.completed' as const, at: MONDAY };
    expect(await world.common.transact({ late, number })).toMatchObject({ committed: false });
    expect(await calls.recordRecording(ID, { state: 'stored', key: 'k' }, world.now)).toBe(false);
    expect(await calls.finish(ID, world.now)).toBe(false);
    expect(await storeCallback(world.common, await calls.get(ID), event)).toBeUndefined();
    expect(world.snapshot()).toEqual(after);
  });

  it('gets no content of a notification from a worker that read it, finished, before the erasure', async () => {
    const { world, read } = await anErasedCall({ callback_url: 'https://c.example', callback_status: 'delivered' });
    // No wait for workers, because no work was left.
    expect(world.slept).toEqual([]);
    const event = { call_id: ID, type: 'call.ringing' as const, at: MONDAY };
    expect(await storeCallback(world.common, read, event)).toBeUndefined();
    expect(world.left([PHONE, 'https://c.example'])).toEqual([]);
    expect(world.all('callbacks')).toMatchObject([{ state: 'superseded' }]);
    await erase(world);
    expect(world.all('callbacks')).toEqual([]);
  });

  it('loses the content of a notification of a worker that died before it read the call again', async () => {
    const { world, read } = await anErasedCall({ callback_url: 'https://c.example', callback_status: 'delivered' });
    const event = { call_id: ID, type: 'call.ringing' as const, at: MONDAY };
    const dies = { ...world.common, calls: { erasedOf: () => Promise.reject(new Error('the worker died')) } };
    await expect(storeCallback(dies, read, event)).rejects.toThrow('died');
    expect(world.left([PHONE])).not.toEqual([]);
    await storeCallback(world.common, await world.stores.calls.get(ID), event);
    expect(world.left([PHONE])).toEqual([]);
  });

  it('stores only the platform’s id of a late report, and loses the transcript that a dead worker stored', async () => {
    const { world } = await anErasedCall();
    const tombstone = world.find('calls', { call_id: ID });
    // A long transcript is in the bucket before the call is read.
    const transcript_key = `reported-transcripts/${ID}.txt`;
    world.files.set(transcript_key, 'a flat by the lake');
    const stored = `transcripts/${ORG}/${ID}.json`;
    world.files.set(stored, 'a flat by the lake');
    const report = { kind: 'report', platform_id: 'platform-1', transcript_key } as PlatformMessage;
    const files = {
      removeReported: async (keys: readonly string[]) => {
        for (const key of keys) world.files.delete(key);
      },
      removeTranscripts: async (of: Pick<Call, 'org_id' | 'call_id'>) => {
        expect(of).toEqual({ org_id: ORG, call_id: ID });
        world.files.delete(stored);
      },
    };
    const deps = { ...world.common, ...world.deps, files, dialQueue: world.queue() } as never;
    expect(await applyVoiceEvent(deps, { call_id: ID, message: report })).toBe('erased');
    expect(world.find('calls', { call_id: ID })).toEqual({ ...tombstone, late_platform_ids: new Set(['platform-1']) });
    expect([world.left(ofPerson), world.files.size]).toEqual([[], 0]);
  });

  /** The platform's answer about a call was lost, and a message about it comes after the erasure. */
  const aLostCall = { platform_id: undefined, former_platform_ids: undefined, second_platform_ids: undefined };
  const progress = (platform_id: string) =>
    ({ kind: 'progress', status: 'in_progress', platform_id, at: MONDAY }) as unknown as PlatformMessage;
  /** Erases the call. @returns the result at the platform, and the number of its copies there */
  const eraseAt = async (world: World, deps: Parameters<typeof eraseCall>[0] = world.deps) => {
    const erased = await eraseCall(deps, operator, ID);
    return [erased.kind === 'erased' && erased.platform.kind, world.atPlatform.size];
  };
  /** A platform after whose deletions `act` runs. @param act gets the id, and the number of earlier deletions */
  const deleting = (world: World, act: (id: string, earlier: number) => Promise<unknown>) => {
    let earlier = 0;
    const erase = async (id: string) => {
      const outcome = await world.deps.voice.erase(id);
      await act(id, earlier++);
      return outcome;
    };
    return { ...world.deps, voice: { erase } };
  };
  const apply = (world: World, message: PlatformMessage) => {
    const dialQueue = world.queue();
    const files = { removeReported: async () => undefined };
    const result = applyVoiceEvent({ ...world.common, ...world.deps, files, dialQueue } as never, {
      call_id: ID,
      message,
    });
    return result.then((outcome) => ({ outcome, sent: dialQueue.sent.map(({ message }) => message) }));
  };

  it('hangs up a live call that a late message reveals, and a repeat of the erasure deletes its copy', async () => {
    const { world } = await anErasedCall({ ...aLostCall, status: 'failed', ended_reason: 'lost' });
    world.atPlatform.add('late');
    // Its first worker died after the hang-up.
    for (let delivery = 1; delivery <= 2; delivery += 1)
      expect(await apply(world, progress('late'))).toEqual({
        outcome: 'erased',
        sent: [{ call_id: ID, hang_up: { platform_id: 'late', tries: 0 } }],
      });
    const again = await erase(world);
    expect(again.kind === 'erased' && receiptOf(world, again).calls).toMatchObject([{ platform: 'erased' }]);
    expect(world.atPlatform.size).toBe(0);
    const once = await erase(world);
    expect(once.kind === 'erased' && receiptOf(world, once).calls).toMatchObject([{ platform: 'erased' }]);
  });

  it('stays erased at the platform if a late message repeats an id whose data was deleted', async () => {
    const { world } = await anErasedCall({});
    await apply(world, progress('platform-1'));
    const again = await erase(world);
    expect(again.kind === 'erased' && receiptOf(world, again).calls).toMatchObject([{ platform: 'erased' }]);
  });

  it('stays erased at the platform if a late message reveals another id during the deletion', async () => {
    const world = aPersonsWorld([aCallOfPerson(1, {})]);
    world.atPlatform.add('late');
    const deps = deleting(world, async (_, earlier) => earlier === 0 && apply(world, progress('late')));
    expect(await eraseAt(world, deps)).toEqual(['erased', 0]);
  });

  it.each<[string, Partial<Call>]>([
    ['other ids were known', {}],
    ['no id was known', { ...aLostCall, status: 'failed', ended_reason: 'lost' }],
  ])('is deleted at the platform under an id that a late message reveals during a repeat: %s', async (_, over) => {
    const { world } = await anErasedCall(over);
    world.atPlatform.add('late');
    const { remove } = world.deps.fileErasures;
    const revealing: typeof remove = async (call) => {
      await remove(call);
      await apply(world, progress('late'));
    };
    const fileErasures = { ...world.deps.fileErasures, remove: revealing };
    expect(await eraseAt(world, { ...world.deps, fileErasures })).toEqual(['erased', 0]);
  });

  it('is reported as absent at the platform only after the deletion under an id that a late message revealed', async () => {
    const world = aPersonsWorld([aCallOfPerson(1, { former_platform_ids: undefined, second_platform_ids: undefined })]);
    world.atPlatform.delete('platform-1');
    world.atPlatform.add('late');
    const deps = deleting(world, async (id) => id === 'platform-1' && apply(world, progress('late')));
    expect(await eraseAt(world, deps)).toEqual(['absent', 0]);
  });

  it('is deleted at the platform under an id that a late message reveals while records are removed elsewhere', async () => {
    const world = aPersonsWorld([aCallOfPerson()], { connections: [connectionTo('crm-b')] });
    world.atPlatform.add('late');
    const remover = async () => async () => {
      await apply(world, progress('late'));
      return { kind: 'removed' as const };
    };
    expect(await eraseAt(world, { ...world.deps, remover })).toEqual(['erased', 0]);
  });

  it('is reported as left at the platform if messages keep revealing ids', async () => {
    const world = aPersonsWorld();
    const deps = deleting(world, async (_, earlier) => {
      world.atPlatform.add(`late-${earlier}`);
      await apply(world, progress(`late-${earlier}`));
    });
    // Each of the last three deletions has revealed another id.
    const platform = { kind: 'left', reason: 'it keeps revealing ids of the call' };
    expect(await eraseCall(deps, operator, ID)).toMatchObject({ platform });
    expect(world.atPlatform.size).toBe(3);
  });

  it('loses no id that a late message reveals while two operators erase the call at once', async () => {
    const { world } = await anErasedCall({ ...aLostCall, status: 'failed', ended_reason: 'lost' });
    await apply(world, progress('late-1'));
    for (const id of ['late-1', 'late-2']) world.atPlatform.add(id);
    const deps = deleting(world, async (id) => {
      // The platform accepts two deletions that come at once.
      world.atPlatform.add(id);
      await eraseCall(world.deps, operator, ID);
      await apply(world, progress('late-2'));
    });
    expect(await eraseAt(world, deps)).toEqual(['erased', 0]);
  });

  it('loses no id that the faster of two erasures has left, because the platform did not delete its data', async () => {
    const world = aPersonsWorld([aCallOfPerson(1, { former_platform_ids: undefined, second_platform_ids: undefined })]);
    world.atPlatform.add('late');
    const refusing = async (id: string) =>
      id === 'late' ? { kind: 'left' as const, reason: 'it is busy' } : await world.deps.voice.erase(id);
    const deps = deleting(world, async (id, earlier) => {
      if (earlier > 0) return;
      world.atPlatform.add(id);
      await apply(world, progress('late'));
      await eraseCall({ ...world.deps, voice: { erase: refusing } }, operator, ID);
    });
    expect(await eraseAt(world, deps)).toEqual(['erased', 0]);
  });

  it.each<[string, Partial<Call>]>([
    ['no id is known', { ...aLostCall, status: 'failed', ended_reason: 'lost' }],
    ['others are known', {}],
  ])('loses no id that a message reveals at any moment of its erasure: %s', async (_name, over) => {
    for (let moment = 1; ; moment += 1) {
      const world = aPersonsWorld([aCallOfPerson(1, over)]);
      world.atPlatform.add('late');
      let writes = 0;
      const reveal = () =>
        world.beforeNextWrite(async () => {
          writes += 1;
          if (writes === moment) await apply(world, progress('late'));
          else reveal();
        });
      reveal();
      await erase(world);
      if (writes < moment) break;
      await erase(world);
      expect([moment, world.atPlatform.size]).toEqual([moment, 0]);
    }
  });

  it.each([
    ['', {}],
    [', also if the assistant is deleted', { assistant: undefined }],
    [', also if the number is on the do-not-call list', { isOnDoNotCallList: true }],
    [', also if the organization is suspended', { org: anOrg({ suspended_at: MONDAY }) }],
  ])('refuses its idempotency key as erased%s', async (_name, changed) => {
    const call_id = callIdFor(ORG, 'order-7');
    const world = aPersonsWorld([aCallOfPerson(1, { call_id, lead: undefined })]);
    await erase(world, call_id);
    const facts = { org: anOrg(), assistant: anAssistant(), isOnDoNotCallList: false, ...changed };
    const placed = { call_id, request_id: 'r2', phone_number: '+919876543210', request_metadata: {} };
    const repeat = placeOutboundCall(world.common, facts, { ...placed, idempotency_key: 'order-7' });
    expect(await repeat).toEqual({ kind: 'call_erased' });
    expect(world.left(ofPerson)).toEqual([]);
  });
});
