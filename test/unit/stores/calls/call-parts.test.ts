import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { isKept, withKeptFiles } from '../../../../shared/domain/calls/retention/kept-files.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { callItem } from '../../../../shared/stores/calls/call-item.ts';
import { aCall, aResult } from '../../support/call.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const DAY = 24 * 60 * 60;

/** An ended call with every attribute that an answer of the REST API depends on. */
const call = aCall({
  status: 'completed',
  idempotency_key: 'order-17',
  callback_url: 'https://client.example/calls',
  callback_status: 'delivered',
  request_metadata: { order: 17, nested: { list: ['a', null] } },
  answered_at: '2026-03-02T06:00:09.000Z',
  started_at: '2026-03-02T06:00:10.000Z',
  ended_at: START,
  ended_reason: 'customer-ended-call',
  duration: 42,
  cost: 700,
  keep: { calls: 30, recordings: 7, transcripts: 7 },
  transcript_key: 'transcripts/org/call.txt',
  recording: { state: 'stored', key: 'recordings/org/call.wav', at: START },
  analysis: { state: 'done', result: aResult({ structured_data: { visit: true } }) },
});

function aStoredCall(over: object = {}) {
  const world = aWorld();
  world.put('calls', { ...callItem(call), ...over });
  const { calls, viewedCalls, recordedCalls } = world.stores;
  return { world, calls, viewedCalls, recordedCalls };
}

describe('a part of a call', () => {
  it('is shown like the whole call', async () => {
    const { calls, viewedCalls } = aStoredCall();
    const [whole, part] = [await calls.get(call.call_id), await viewedCalls.get(call.call_id)];
    expect(part && viewCall(part)).toEqual(whole && viewCall(whole));
    expect(part?.org_id).toBe(call.org_id);
  });

  it.each([1, 8, 31])('has the retention of the whole call, %i days after its end', async (days) => {
    const { calls, viewedCalls, recordedCalls } = aStoredCall();
    const now = new Date(secondsAfter(START, days * DAY));
    const whole = await calls.get(call.call_id);
    const [viewed, recorded] = [await viewedCalls.get(call.call_id), await recordedCalls.get(call.call_id)];
    if (!whole || !viewed || !recorded) throw new Error('the call was not found');
    expect(isKept(viewed, now)).toBe(isKept(whole, now));
    expect(withKeptFiles(recorded, now).recording).toEqual(withKeptFiles(whole, now).recording);
  });

  it('does not exist for an erased call', async () => {
    const { viewedCalls, recordedCalls } = aStoredCall({ erased_at: START });
    expect(await viewedCalls.get(call.call_id)).toBeUndefined();
    expect(await recordedCalls.get(call.call_id)).toBeUndefined();
  });

  it('is not read for a text that cannot be an id', async () => {
    const { world, viewedCalls } = aStoredCall();
    expect(await viewedCalls.get('')).toBeUndefined();
    expect(world.requests).toEqual([]);
  });

  it('is checked where it is read', async () => {
    const { viewedCalls, recordedCalls } = aStoredCall({ duration: 'long', recording: { key: 'recordings/x' } });
    await expect(viewedCalls.get(call.call_id)).rejects.toThrow();
    await expect(recordedCalls.get(call.call_id)).rejects.toThrow();
  });
});
