import { phoneHash } from '../../../../../shared/domain/connections/phone-hash.ts';
import { eraseCall } from '../../../../../shared/operations/after-call/erasure/erase-call.ts';
import { leaveTombstone } from '../../../../../shared/operations/calls/leave-tombstone.ts';
import { aCall, aClaimedCall } from '../../../support/call.ts';
import { aCity, anEvent, erase, OTHER, operator } from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  LEAD,
  PHONE,
  recordsOfCall,
} from '../../../support/erasure/person.ts';
import { MONDAY, ORG } from '../../../support/worlds/items.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const LISTED = '2026-03-01T06:00:00.000Z';

describe('erasing a person', () => {
  it('leaves no data of the person in any table, the bucket and the voice platform', async () => {
    const city = aCity();
    const { available, held } = city.all('organizations')[0] ?? {};
    const outcomes = () => city.all('activity').map(({ event_id, outcome }) => [event_id, outcome]);
    const before = [outcomes(), city.all('credit-ledger'), { available, held }];
    const erased = await erase(city);
    expect(city.left([...canaries, 'lead-78', phoneHash(ORG, PHONE)])).toEqual([]);
    expect([city.files.size, city.atPlatform.size]).toEqual([0, 0]);
    expect([outcomes(), city.all('credit-ledger'), { available, held }]).toEqual(before);
    expect(city.callOf(idOf(8)).phone_number).toBe(OTHER);
    expect(city.left(['lead-of-another'])).toEqual(['lead-of-another']);
    expect(erased).toMatchObject({
      kind: 'erased',
      platform_left: [],
      receipt: { org_id: ORG, done_by: 'ravi', activity: 8, do_not_call: 'not_listed' },
    });
  });

  it('leaves no address from which its calls were placed', async () => {
    const from = { address: '130.176.0.5', forwarded_for: '203.0.113.7' };
    const city = aPersonsWorld([
      aCallOfPerson(1, { placed_by: { kind: 'key', key_id: 'key_1', name: 'backend', ...from } }),
      aCallOfPerson(2, { placed_by: { kind: 'member', user_id: 'u1', name: 'Asha', ...from } }),
    ]);
    expect(city.left(Object.values(from))).toEqual(Object.values(from));
    const erased = await erase(city);
    expect(city.left(Object.values(from))).toEqual([]);
    expect(JSON.stringify(erased)).not.toMatch(/130\.176|203\.0\.113/);
  });

  it('includes calls that `call erase` has erased, and deletes their remaining data at the platform', async () => {
    const city = aPersonsWorld([aCallOfPerson(1)], { connections: [connectionTo('crm-b', { settings: {} })] });
    city.failures.push(...Array(15).fill('status 503'));
    const one = await eraseCall(city.deps, operator, idOf(1));
    expect(one).toMatchObject({ platform: { reason: 'status 503' }, records: [{ outcome: 'kept' }] });
    city.put('connections', connectionTo('crm-b'));
    expect(await erase(city)).toMatchObject({
      platform_left: [],
      receipt: { calls: [{ call_id: idOf(1), platform: 'erased', records: [{ outcome: 'removed' }] }] },
    });
    expect([city.atPlatform.size, city.remote.size]).toEqual([0, 0]);
  });

  it('includes the calls that it has just erased, although the index by number does not have their tombstones yet', async () => {
    const city = aPersonsWorld([aCallOfPerson(1), aCallOfPerson(2)], { connections: [connectionTo('crm-b')] });
    city.freezeIndexes();
    expect(await erase(city)).toMatchObject({
      receipt: { calls: [{ call_id: idOf(2), platform: 'erased' }, { call_id: idOf(1) }] },
    });
    expect([city.atPlatform.size, city.remote.size]).toEqual([0, 0]);
  });

  it('includes the calls of a run that has just died, although the index by number does not have their tombstones yet', async () => {
    const city = aPersonsWorld([aCallOfPerson(1), aCallOfPerson(2)]);
    city.freezeIndexes();
    const voice = { erase: () => Promise.reject(new Error('died')) };
    await expect(erase({ ...city, deps: { ...city.deps, voice } })).rejects.toThrow('died');
    expect(await erase(city)).toMatchObject({ receipt: { calls: Array(2).fill({ platform: 'erased' }) } });
    expect(city.atPlatform.size).toBe(0);
  });

  it('deletes the data under a platform id that a late message reveals after its call was erased, in the same run', async () => {
    const city = aPersonsWorld([1, 2, 3, 4, 5, 6].map((number) => aCallOfPerson(number)));
    await erase(city);
    for (const id of ['busy', 'late']) city.atPlatform.add(id);
    await city.stores.calls.noteLate(idOf(6), 'busy');
    city.failures.push('status 503');
    city.duringFirstWait(async () => {
      await city.stores.calls.noteLate(idOf(1), 'late');
    });
    expect(await erase(city)).toMatchObject({ platform_left: [] });
    expect([...city.atPlatform]).toEqual([]);
  });

  it('sends one request in a run for each id that the platform does not know', async () => {
    const city = aPersonsWorld([aCallOfPerson(1), aCallOfPerson(2)]);
    city.atPlatform.clear();
    const asked: string[] = [];
    const voice = {
      erase: async (id: string) => {
        asked.push(id);
        return { kind: 'absent' as const };
      },
    };
    const erased = await erase({ ...city, deps: { ...city.deps, voice } });
    expect([erased.kind, asked.length, new Set(asked).size]).toEqual(['erased', 6, 6]);
  });

  it('does not include a call of another number, or one that retention removed, from an outdated index', async () => {
    const [ofAnother, removed] = [aCallOfPerson(2), aCallOfPerson(3)];
    const city = aPersonsWorld([aCallOfPerson(1), ofAnother, removed]);
    city.freezeIndexes();
    city.putCall({ ...ofAnother, phone_number: OTHER });
    await eraseCall(city.deps, operator, idOf(2));
    city.remove('calls', { call_id: idOf(3) });
    await leaveTombstone(city.deps, removed);
    const erased = await erase(city);
    expect(erased.kind === 'erased' && erased.receipt.calls.map(({ call_id }) => call_id)).toEqual([idOf(1)]);
  });

  it('also erases a call that is placed, or appears in the index by number, during the run', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
    city.duringFirstWait(() => {
      city.putCall(aCallOfPerson(2));
      city.put('activity', anEvent('evt_2', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
      city.files.set(`recordings/${ORG}/${idOf(2)}.wav`, 'a flat by the lake');
      city.putCall(aCall({ call_id: idOf(3), phone_number: PHONE }));
    });
    const erased = await erase(city);
    const { calls, activity } = erased.kind === 'erased' ? erased.receipt : { calls: [], activity: 0 };
    expect([city.left(canaries), calls.map(({ call_id }) => call_id).sort(), activity]).toEqual([
      [],
      [1, 2, 3].map(idOf),
      3,
    ]);
  });

  it('removes, when it is repeated, data that is stored again, late or by a restore of a table', async () => {
    const calls = [aCallOfPerson(1, { claims_day: MONDAY }), aCallOfPerson(2)];
    const [before, city] = [aPersonsWorld(calls), aPersonsWorld(calls)];
    await erase(city);
    const keys = () => city.all('claims').map(({ claim }) => claim);
    const erased = keys();
    city.files.set(`reported-transcripts/${idOf(1)}.txt`, 'a flat by the lake');
    for (const callback of before.all('callbacks')) city.put('callbacks', callback);
    for (const claim of before.all('claims')) if (String(claim.claim).includes(PHONE)) city.put('claims', claim);
    city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: LISTED });
    expect(await erase(city)).toMatchObject({ kind: 'erased', receipt: { do_not_call: 'kept_as_hash' } });
    expect([city.left(canaries), city.files.size, city.all('callbacks')]).toEqual([[], 0, []]);
    expect(keys()).toEqual(erased);
  });

  it('erases calls that are not in the index by number, in the spelling of former versions, after a crash at any line', async () => {
    const begin = () => {
      const city = aPersonsWorld([
        aCallOfPerson(1),
        aCallOfPerson(2, { phone_number: '+9109876543210' }),
        aCall({ call_id: idOf(8), phone_number: OTHER }),
      ]);
      for (const number of [1, 2, 8]) {
        const { org_phone: _, ...former } = city.find('calls', { call_id: idOf(number) }) ?? {};
        city.put('calls', former);
      }
      return city;
    };
    for await (const [city, cut] of worldThatDies(begin, erase, 20)) {
      const erased = await erase(city);
      const calls = erased.kind === 'erased' ? erased.receipt.calls : [];
      expect([cut, city.left(canaries), calls.map(({ call_id }) => call_id).sort()]).toEqual([
        cut,
        [],
        [1, 2].map(idOf),
      ]);
      expect(city.find('calls', { call_id: idOf(8) })).toMatchObject({ phone_number: OTHER });
    }
  });

  it('is complete, with all calls in its receipt, when it is repeated after a crash at any line', async () => {
    for await (const [city, cut] of worldThatDies(aCity, erase, 30)) {
      const erased = await erase(city);
      expect([cut, city.left(canaries), city.files.size, city.atPlatform.size]).toEqual([cut, [], 0, 0]);
      const calls = erased.kind === 'erased' ? erased.receipt.calls : [];
      expect([cut, calls.map(({ call_id, found }) => [call_id, found.files]).sort()]).toEqual([
        cut,
        [1, 2, 3].map((number) => [idOf(number), 4]),
      ]);
    }
  }, 60_000);

  it('cancels waiting calls, and refuses while a call is live, before it changes anything', async () => {
    const waiting = aCall({ call_id: idOf(4), phone_number: PHONE });
    const live = aClaimedCall({ call_id: idOf(5), phone_number: PHONE, status: 'ringing', platform_id: 'p5' });
    const city = aPersonsWorld([aCallOfPerson(1), waiting, live], { slots: [{ scope: 'stage', live: 1 }] });
    const before = city.snapshot();
    expect(await erase(city)).toEqual({ kind: 'live', call_ids: [idOf(5)] });
    expect(city.snapshot()).toEqual(before);
    city.put('calls', { ...city.find('calls', { call_id: idOf(5) }), status: 'failed', unfinished: undefined });
    expect(await erase(city)).toMatchObject({ kind: 'erased' });
    expect(city.left(canaries)).toEqual([]);
  });

  it('erases 50 calls with all their data in one command, with one wait for their workers', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    // The first one is of today.
    const dayOf = (number: number) =>
      new Date(Date.parse(LISTED) - (number - 2) * 86_400_000).toISOString().slice(0, 10);
    const city = aPersonsWorld(
      numbers.map((number) =>
        aCallOfPerson(number, { ...unfinished, ...recordsOfCall(number), claims_day: dayOf(number) }),
      ),
      { connections: [connectionTo('crm-b'), connectionTo('help-desk')] },
    );
    // For each call: the event and its retry; the claims on lead and phone, one on the contact and one of the sweep.
    expect([city.all('activity'), city.all('claims'), city.remote]).toMatchObject([
      { length: 100 },
      { length: 102 },
      { size: 151 },
    ]);
    const erased = await erase(city);
    const { calls, activity } = erased.kind === 'erased' ? erased.receipt : { calls: [], activity: 0 };
    expect(calls.map(({ call_id }) => call_id).sort()).toEqual(numbers.map(idOf));
    expect([activity, city.all('callbacks'), [...city.remote]]).toEqual([100, [], ['ticket_contact contact']]);
    const ofLead = expect.stringMatching(/^lead#\w+#erased#[\w-]{43}#2026-0[23]-\d\d$/);
    const ofPhone = expect.stringMatching(/^phone#\w+#erased#[\w-]{43}#2026-03-02$/);
    expect(city.all('claims').map(({ claim }) => claim)).toEqual([...Array(18).fill(ofLead), ofPhone]);
    expect([city.left(canaries), city.files.size, city.atPlatform.size]).toEqual([[], 0, 0]);
    expect(city.ms - Date.parse('2026-03-02T06:00:00.000Z')).toBeLessThan(100_000);
  });
});
