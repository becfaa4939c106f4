import type { Call } from '../../../../shared/domain/calls/call.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';

const bothOnce = { call_log: ['call_log-0'], note: ['note-0'] };
const silent: Partial<Call> = { transcript_key: undefined, recording: { state: 'none' } };
const unanswered: Partial<Call> = { duration: 0, started_at: undefined };

describe('sync-crm-b', () => {
  it('writes a call log and a note with transcript and link, and completes the work', async () => {
    const world = aCrmBSync();
    expect(await world.run()).toBe('synced');
    expect(world.records).toEqual(bothOnce);
    expect(world.call()).toMatchObject({
      crm_b_sync: 'done',
      call_log: { state: 'written', id: 'call_log-0' },
      note: { state: 'written', id: 'note-0' },
    });
    expect(world.contents).toMatchObject([
      { duration: '00:01', start_time: '2026-03-02T11:31:00+05:30' },
      {
        content: expect.stringMatching(
          /^Asha: Namaste\.\n\nRecording .*https:\/\/svc\.example\/api\/recordings\/call_/,
        ),
      },
    ]);
  });

  const failed: Partial<Call> = { ...silent, recording: { state: 'failed' } };
  it.each<[string, Partial<Call>, string[]]>([
    ['without transcript and recording: only a call log', silent, ['call_log']],
    ['with a failed recording and no transcript: only a call log', failed, ['call_log']],
    ['without duration: only a note', unanswered, ['note']],
    ['without duration, transcript and recording: no record', { ...unanswered, ...silent }, []],
  ])('writes for a call %s', async (_name, over, wanted) => {
    const world = aCrmBSync({ call: over });
    expect(await world.run()).toBe('synced');
    for (const item of ['call_log', 'note'] as const) {
      expect(world.records[item]).toHaveLength(wanted.includes(item) ? 1 : 0);
      expect(world.call()[item]?.state).toBe(wanted.includes(item) ? 'written' : 'none');
    }
  });

  it('sends no request if it has no record to write', async () => {
    const world = aCrmBSync({ call: { ...unanswered, ...silent } });
    world.token = async () => ({ kind: 'reconnect_needed', reason: 'revoked' });
    expect(await world.run()).toBe('synced');
  });

  it('logs every waiting item with its reason', async () => {
    const world = aCrmBSync({ fates: { call_log: '429', note: 'reconnect' } });
    expect(await world.run()).toBe('waiting');
    const logged = { message: 'CRM-B has not taken an item of a call yet', call_id: world.id, connection_id: 'conn_1' };
    expect(world.logged).toMatchObject([
      { ...logged, item: 'call_log', reason: 'too many requests' },
      { ...logged, item: 'note', reason: 'revoked' },
    ]);
  });

  it('ends an item as unconfirmed if its lookup is refused', async () => {
    const world = aCrmBSync({ call: silent, fates: { call_log: 'lost' } });
    world.lookups = [{ kind: 'refused', code: 'NO_PERMISSION', status: 403 }];
    await world.run();
    world.pass(16);
    expect(await world.run()).toBe('synced');
    expect(world.call().call_log).toMatchObject({ state: 'unconfirmed', error: 'NO_PERMISSION' });
  });

  it('writes the items that waited for a connection', async () => {
    const world = aCrmBSync();
    const connection = world.reconnect(undefined);
    await world.untilDone(20);
    expect(world.call()).toMatchObject({ crm_b_sync: 'pending', crm_b_sync_error: 'the connection is gone' });
    world.put('connections', connection);
    await world.untilDone(3);
    expect(world.call().crm_b_sync).toBe('done');
    expect(world.records).toEqual(bothOnce);
  });

  it('writes the call log and completes the work even if the transcript cannot be read', async () => {
    const world = aCrmBSync();
    world.transcript = () => Promise.reject(new Error('NoSuchKey'));
    await world.untilDone();
    expect(world.records.call_log).toEqual(['call_log-0']);
    const note = { state: 'failed', error: 'the transcript cannot be read: Error' };
    expect(world.call()).toMatchObject({ crm_b_sync: 'done', note });
  });

  it('tries a redriven call once, however late', async () => {
    const world = aCrmBSync();
    world.pass(1_000_000);
    expect(await world.run()).toBe('synced');
    expect(world.records).toEqual(bothOnce);
  });

  it('leaves the rest to the next turn if its time runs out', async () => {
    const world = aCrmBSync();
    world.during = { call_log: () => world.pass(25) };
    expect(await world.run()).toBe('waiting');
    expect(world.records).toEqual({ call_log: ['call_log-0'], note: [] });
    expect(world.call().crm_b_sync_error).toBe('no time was left in this run');
    world.pass(16);
    expect(await world.run()).toBe('synced');
    expect(world.records).toEqual(bothOnce);
  });
});
