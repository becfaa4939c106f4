import {
  erasureReceiptSchema,
  isGenuineReceipt,
  nameOfPerson,
} from '../../../../shared/domain/after-call/erasure-receipt.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit-entry.ts';
import { erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { aCall, aCalledLead, aClaimedCall } from '../../support/call.ts';
import { ORG } from '../../support/items.ts';
import { aCallOfPerson, aPersonsWorld, canaries, idOf, LEAD } from '../../support/person.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const operator: Actor = { kind: 'operator', name: 'ravi' };
const KEY = 'k'.repeat(64);
const PHONE = '+919876543210';
const OTHER = '+919812345678';
const of = { org_id: ORG, phone: PHONE };

const erase = (world: ReturnType<typeof aPersonsWorld>) => erasePerson({ ...world.deps, personKey: KEY }, operator, of);

/** An entry of Activity of an event without a call. */
const anEvent = (event_id: string, over: object) => ({
  ...{ connection_id: 'conn_1', event_id, org_id: ORG, at: '2026-03-01T05:00:00.000Z', source: 'webhook', test: false },
  ...{ event: 'lead_edited', outcome: 'owner_mismatch', reason: 'Asha Iyer', payload_keys: [], expires_at: 4e9 },
  ...over,
});

/** Three calls of the person, events without a call, and a call of somebody else. */
function aCity() {
  const another = aCall({ call_id: idOf(8), phone_number: OTHER, status: 'no_answer', unfinished: undefined });
  const world = aPersonsWorld([1, 2, 3].map((number) => aCallOfPerson(number)));
  world.putCall(another);
  // Without a number, and only with one.
  world.put('activity', anEvent('evt_8', { lead_id: LEAD }));
  world.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-78' }));
  world.put(
    'activity',
    anEvent('evt_7', { lead_id: 'lead-of-another', phone_hash: phoneHash(ORG, OTHER), reason: '-' }),
  );
  return world;
}

const LISTED = '2026-03-01T06:00:00.000Z';

/** The same, with the person's wish not to be called. */
function aRefusingCity() {
  const city = aCity();
  city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: LISTED, call_id: idOf(1) });
  return city;
}

describe('erasing a person', () => {
  it('leaves nothing of the person in any table, the bucket and the voice platform', async () => {
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

  it('has a receipt that names no person, that was not changed, and that the stage signed', async () => {
    const erased = await erase(aCity());
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    const stored = JSON.stringify(erased.receipt);
    for (const word of canaries) expect(stored).not.toContain(word);
    const receipt = erasureReceiptSchema.parse(JSON.parse(stored));
    expect(receipt.calls.map(({ call_id }) => call_id).sort()).toEqual([1, 2, 3].map(idOf));
    expect(receipt.person).toBe(nameOfPerson(KEY, ORG, PHONE));
    const sorted = Object.fromEntries(Object.entries(receipt).sort()) as typeof receipt;
    expect([isGenuineReceipt(KEY, receipt), isGenuineReceipt(KEY, sorted)]).toEqual([true, true]);
    expect(isGenuineReceipt(KEY, { ...receipt, calls: receipt.calls.slice(1) })).toBe(false);
    expect(isGenuineReceipt('another', receipt)).toBe(false);
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

  it('cancels calls that wait, and refuses while one is live, before it changes anything', async () => {
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

  it('waits once for the workers of all unfinished calls', async () => {
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    const city = aPersonsWorld([1, 2, 3].map((number) => aCallOfPerson(number, unfinished)));
    await erase(city);
    expect([city.left(canaries), city.ms - Date.parse('2026-03-02T06:00:00.000Z') < 100_000]).toEqual([[], true]);
  });

  it('takes 50 calls in one command, with one wait for their workers', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    const city = aPersonsWorld(numbers.map((number) => aCallOfPerson(number, unfinished)));
    const erased = await erase(city);
    const calls = erased.kind === 'erased' ? erased.receipt.calls : [];
    expect(calls.map(({ call_id }) => call_id).sort()).toEqual(numbers.map(idOf));
    expect([city.left(canaries), city.files.size, city.atPlatform.size]).toEqual([[], 0, 0]);
    expect(city.ms - Date.parse('2026-03-02T06:00:00.000Z')).toBeLessThan(100_000);
  });

  it('keeps a refusal on the do-not-call list as a keyed hash, and says so', async () => {
    const city = aRefusingCity();
    expect(await erase(city)).toMatchObject({ receipt: { do_not_call: 'kept_as_hash' } });
    expect(city.left(canaries)).toEqual([]);
    expect(city.all('do-not-call')).toEqual([
      { org_id: ORG, phone: expect.stringMatching(/^erased#[\w-]{43}$/), added_at: LISTED, erased_at: city.now },
    ]);
    expect(await city.stores.doNotCall.has(ORG, PHONE)).toBe(true);
    expect(await erase(city)).toMatchObject({ receipt: { do_not_call: 'kept_as_hash' } });
  });

  it('refuses the number at every moment, and hides it when it is repeated after a crash at any line', async () => {
    for await (const [city, cut] of worldThatDies(aRefusingCity, erase, 30)) {
      expect([cut, await city.stores.doNotCall.has(ORG, PHONE)]).toEqual([cut, true]);
      await erase(city);
      expect([cut, city.left([PHONE]), await city.stores.doNotCall.has(ORG, PHONE)]).toEqual([cut, [], true]);
    }
  }, 60_000);

  it('lists no number that somebody removes from the list meanwhile', async () => {
    const city = aRefusingCity();
    const { erasing } = city.deps.doNotCall;
    const doNotCall = {
      ...city.deps.doNotCall,
      erasing: (...args: Parameters<typeof erasing>) => {
        city.remove('do-not-call', { org_id: ORG, phone: PHONE });
        return erasing(...args);
      },
    };
    const erased = await erasePerson({ ...city.deps, doNotCall, personKey: KEY }, operator, of);
    expect(erased).toMatchObject({ receipt: { do_not_call: 'not_listed' } });
    expect(city.all('do-not-call')).toEqual([]);
  });

  it('keeps the claim on a lead that was called today', async () => {
    const lead = aCalledLead({ lead_id: LEAD, event_id: 'evt_1' });
    const city = aPersonsWorld([aCallOfPerson(1, { lead, claims_day: '2026-03-02' })]);
    await erase(city);
    expect(
      city
        .all('claims')
        .map(({ claim }) => String(claim).split('#')[0])
        .sort(),
    ).toEqual(['lead', 'phone']);
  });
});

describe('exporting a person', () => {
  it('has all calls with what was said and notified, all Activity, and the do-not-call entry', async () => {
    const city = aCity();
    city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: 'then' });
    const before = city.snapshot();
    const files = { getTranscript: async (key: string) => city.files.get(key) };
    const person = await exportPerson({ ...city.deps, files }, of);
    expect(person.calls.map(({ call_id, transcript }) => [call_id, transcript]).sort()).toEqual(
      [1, 2, 3].map((number) => [idOf(number), 'Asha Iyer: a flat by the lake']),
    );
    expect(person.calls[0]).toMatchObject({
      lead: { lead_id: LEAD },
      analysis: { result: { summary: 'Asha Iyer wants a flat by the lake.' } },
      callbacks: [{ type: 'call.completed', body: expect.stringContaining(PHONE) }],
    });
    expect(person.activity).toHaveLength(8);
    expect(person.do_not_call).toMatchObject({ phone: PHONE });
    expect(JSON.stringify(person)).not.toContain(OTHER);
    expect(city.snapshot()).toEqual(before);
  });
});
