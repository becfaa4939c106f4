import { setTimeout } from 'node:timers/promises';
import { TIMEOUT_SECONDS } from '../../../../lib/constructs/service-function.ts';
import { functionRow } from '../../../../lib/functions.ts';
import {
  erasureReceiptSchema,
  isGenuineReceipt,
  nameOfPerson,
  receiptSchema,
  signReceipt,
} from '../../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { BOTH_FORMS_MS, erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { aCall, aClaimedCall } from '../../support/call.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  LEAD,
  PHONE,
  recordsOfCall,
} from '../../support/person.ts';
import { MONDAY, ORG } from '../../support/worlds/items.ts';
import { LIST_KEY } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const operator: Actor = { kind: 'operator', name: 'ravi' };
const KEY = 'k'.repeat(64);
const OTHER = '+919812345678';
const of = { org_id: ORG, phone: PHONE };

const erase = (world: ReturnType<typeof aPersonsWorld>) => erasePerson({ ...world.deps, personKey: KEY }, operator, of);

/** An entry of Activity of an event without a call. */
const anEvent = (event_id: string, over: object) => ({
  ...{ connection_id: 'conn_1', event_id, org_id: ORG, at: '2026-03-01T05:00:00.000Z', source: 'webhook', test: false },
  ...{ event: 'lead_edited', outcome: 'owner_mismatch', reason: 'Asha Iyer', payload_keys: [], expires_at: 4e9 },
  ...over,
});

/** Three calls of the person, events without a call, and another person's call. */
function aCity() {
  const another = aCall({ call_id: idOf(8), phone_number: OTHER, status: 'no_answer', unfinished: undefined });
  const world = aPersonsWorld([1, 2, 3].map((number) => aCallOfPerson(number)));
  world.putCall(another);
  // One item has no number, one only a number.
  world.put('activity', anEvent('evt_8', { lead_id: LEAD }));
  world.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-78' }));
  world.put(
    'activity',
    anEvent('evt_7', { lead_id: 'lead-of-another', phone_hash: phoneHash(ORG, OTHER), reason: '-' }),
  );
  return world;
}

const LISTED = '2026-03-01T06:00:00.000Z';

/** The same data, with the person's do-not-call request. */
function aRefusingCity() {
  const city = aCity();
  city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: LISTED, call_id: idOf(1) });
  return city;
}

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

  it('yields a receipt that names no person, is unchanged and is signed by the stage', async () => {
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

  it('yields a receipt that says for each call whether the voice platform has deleted its data', async () => {
    const never = aCallOfPerson(4, { platform_id: undefined, former_platform_ids: undefined });
    const city = aPersonsWorld([aCallOfPerson(1), never]);
    const platformOf = (erased: Awaited<ReturnType<typeof erase>>) =>
      erased.kind === 'erased' && erased.receipt.calls.map(({ call_id, platform }) => [call_id, platform]).sort();
    const left = 'data of 1 call at the voice platform, which did not confirm its deletion';
    city.failures.push(...Array(5).fill('status 503'));
    const first = await erase(city);
    expect(first).toMatchObject({ platform_left: [idOf(1)], receipt: { remains: expect.arrayContaining([left]) } });
    expect(platformOf(first)).toEqual([
      [idOf(1), 'left'],
      [idOf(4), 'none'],
    ]);
    if (first.kind !== 'erased') throw new Error(first.kind);
    expect(isGenuineReceipt(KEY, first.receipt)).toBe(true);
    const calls = first.receipt.calls.map((one) => ({ ...one, platform: 'erased' as const }));
    expect(isGenuineReceipt(KEY, { ...first.receipt, calls })).toBe(false);
    const again = await erase(city);
    expect(again).toMatchObject({ platform_left: [], receipt: { remains: expect.not.arrayContaining([left]) } });
    expect(platformOf(again)).toEqual([
      [idOf(1), 'erased'],
      [idOf(4), 'none'],
    ]);
  });

  it('yields a receipt that names the messages on queues, the ledger and the copies of removed calls as remaining', async () => {
    expect(await erase(aCity())).toMatchObject({
      receipt: {
        remains: expect.arrayContaining([
          expect.stringMatching(/^messages on queues and dead letters, until 2026-03-09T/),
          'entries of the ledger, without the person: ids of calls, and amounts',
          expect.stringMatching(/^data of calls that their retention had removed.*call erase/),
        ]),
      },
    });
  });

  it('still accepts a receipt of a former version, which says nothing of the platform', () => {
    const found = { files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: 0, remote_records: [] };
    const former = signReceipt(KEY, {
      ...{ org_id: ORG, person: 'p', done_at: 'then', done_by: 'ravi', activity: 0, do_not_call: 'kept', remains: [] },
      calls: [{ call_id: idOf(1), erased_at: 'then', found }],
    });
    const parsed = receiptSchema.parse(JSON.parse(JSON.stringify(former)));
    expect([parsed, isGenuineReceipt(KEY, parsed)]).toEqual([former, true]);
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

  it('waits once for the workers of all unfinished calls', async () => {
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    const city = aPersonsWorld([1, 2, 3].map((number) => aCallOfPerson(number, unfinished)));
    await erase(city);
    expect([city.left(canaries), city.ms - Date.parse('2026-03-02T06:00:00.000Z') < 100_000]).toEqual([[], true]);
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
    // For each call: the event and its retry; the claims on lead and phone, and one on the contact.
    expect([city.all('activity'), city.all('claims'), city.remote]).toMatchObject([
      { length: 100 },
      { length: 101 },
      { size: 151 },
    ]);
    const erased = await erase(city);
    const { calls, activity } = erased.kind === 'erased' ? erased.receipt : { calls: [], activity: 0 };
    expect(calls.map(({ call_id }) => call_id).sort()).toEqual(numbers.map(idOf));
    expect([activity, city.all('callbacks'), [...city.remote]]).toEqual([100, [], ['ticket_contact contact']]);
    const ofToday = expect.stringMatching(/^(lead|phone)#\w+#erased#[\w-]{43}#2026-03-02$/);
    expect(city.all('claims').map(({ claim }) => claim)).toEqual([ofToday, ofToday]);
    expect([city.left(canaries), city.files.size, city.atPlatform.size]).toEqual([[], 0, 0]);
    expect(city.ms - Date.parse('2026-03-02T06:00:00.000Z')).toBeLessThan(120_000);
  });

  it('keeps a do-not-call entry as a keyed hash, and reports it', async () => {
    const city = aRefusingCity();
    const erased_at = city.now;
    expect(await erase(city)).toMatchObject({ receipt: { do_not_call: 'kept_as_hash' } });
    expect(city.left(canaries)).toEqual([]);
    expect(city.all('do-not-call')).toEqual([
      { org_id: ORG, phone: expect.stringMatching(/^erased#[\w-]{43}$/), added_at: LISTED, erased_at },
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

  it('lists the number in both forms for a while, so that reads of single items meanwhile find one', async () => {
    const city = aRefusingCity();
    const forms = () => city.all('do-not-call').map(({ phone }) => String(phone).slice(0, 7));
    const seen: { ms: number; forms: string[] }[] = [];
    const sleep = async (ms: number) => {
      await city.deps.sleep(ms);
      seen.push({ ms, forms: forms().sort() });
    };
    await erasePerson({ ...city.deps, sleep, personKey: KEY }, operator, of);
    expect(seen.at(-1)).toEqual({ ms: 25_000, forms: [PHONE.slice(0, 7), 'erased#'] });
    expect(forms()).toEqual(['erased#']);
  });

  it('keeps both forms longer than place-call may run, which reads them one after the other', () => {
    const { timeoutSeconds = TIMEOUT_SECONDS } = functionRow('place-call');
    expect(BOTH_FORMS_MS).toBeGreaterThan(timeoutSeconds * 1000);
  });

  it('waits for readers of the list and for workers of the calls at the same time', async () => {
    const unfinished = { unfinished: 'ended', finished_at: undefined } as const;
    const city = aPersonsWorld([aCallOfPerson(1, unfinished)]);
    city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: LISTED });
    const waits: number[] = [];
    let most: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
      if (waits.length > most.length) most = [...waits];
      await setTimeout(20);
      waits.splice(waits.indexOf(ms), 1);
      await city.deps.sleep(ms);
    };
    await erasePerson({ ...city.deps, sleep, personKey: KEY }, operator, of);
    expect([most.length, most.includes(BOTH_FORMS_MS)]).toEqual([2, true]);
    expect(city.left([PHONE])).toEqual([]);
  });

  it('keeps a number that is removed and added again while it is listed in both forms', async () => {
    const city = aRefusingCity();
    let waits = 0;
    const sleep = async (ms: number) => {
      await city.deps.sleep(ms);
      if (ms === 25_000) waits += 1;
      if (ms !== 25_000 || waits > 1) return;
      for (const { phone } of city.all('do-not-call')) city.remove('do-not-call', { org_id: ORG, phone });
      city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: city.now });
    };
    const erased = await erasePerson({ ...city.deps, sleep, personKey: KEY }, operator, of);
    expect([erased, waits]).toMatchObject([{ receipt: { do_not_call: 'kept_as_hash' } }, 2]);
    expect([city.left([PHONE]), await city.stores.doNotCall.has(ORG, PHONE)]).toEqual([[], true]);
  });

  it('does not list a number that is removed from the list during the run', async () => {
    const city = aRefusingCity();
    const { hiding } = city.deps.doNotCall;
    const doNotCall = {
      ...city.deps.doNotCall,
      hiding: (...args: Parameters<typeof hiding>) => {
        city.remove('do-not-call', { org_id: ORG, phone: PHONE });
        return hiding(...args);
      },
    };
    const erased = await erasePerson({ ...city.deps, doNotCall, personKey: KEY }, operator, of);
    expect(erased).toMatchObject({ receipt: { do_not_call: 'not_listed' } });
    expect(city.all('do-not-call')).toEqual([]);
  });

  it("keeps today's claims of a call as keyed hashes at every moment, wherever it is interrupted", async () => {
    const begin = () => aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    const hidden = (text: string) => erasedNumber(LIST_KEY, ORG, text);
    const claimsOn = (lead: string, phone: string) => [
      leadClaimKey('conn_1', lead, MONDAY),
      phoneClaimKey(ORG, phone, MONDAY),
    ];
    const [clear, erased] = [claimsOn(LEAD, PHONE), claimsOn(hidden(LEAD), hidden(PHONE))];
    for await (const [city, cut] of worldThatDies(begin, erase, 10)) {
      const held = () => city.all('claims').map(({ claim }) => String(claim));
      const ofEach = clear.map((key, index) => held().filter((one) => one === key || one === erased[index]).length);
      expect([cut, ofEach]).toEqual([cut, [1, 1]]);
      await erase(city);
      expect([cut, held().sort(), city.left(canaries)]).toEqual([cut, erased.toSorted(), []]);
    }
  });

  it('keeps claims of today that another event of the lead owns', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    for (const claim of city.all('claims')) city.put('claims', { ...claim, owner_id: 'evt_0' });
    const before = city.all('claims');
    await erase(city);
    expect(city.all('claims')).toEqual(before);
  });
});

describe('exporting a person', () => {
  it('includes all calls with transcripts and notifications, all Activity, and the do-not-call entry', async () => {
    const city = aCity();
    city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: 'then' });
    const before = city.snapshot();
    const files = { getTranscript: async (key: string) => city.files.get(key) };
    const person = await exportPerson({ ...city.deps, files, personKey: KEY }, operator, of);
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
    expect(city.snapshot().set('audit', [])).toEqual(before);
  });

  it('leaves an entry in the audit log with the pseudonym and counts, before it returns any data', async () => {
    const city = aCity();
    const files = { getTranscript: async (path: string) => city.files.get(path) };
    await exportPerson({ ...city.deps, files, personKey: KEY }, operator, of);
    const entries = city.auditEntries();
    expect(entries).toMatchObject([
      {
        ...{ org_id: ORG, actor: operator, action: 'person.exported' },
        ...{ thing: { id: nameOfPerson(KEY, ORG, PHONE), name: 'person' }, after: { calls: 3, activity: 8 } },
      },
    ]);
    for (const word of canaries) expect(JSON.stringify(entries)).not.toContain(word);
    const transact = async () => Promise.reject(new Error('no table'));
    const failing = { ...city.deps, transact, files, personKey: KEY };
    await expect(exportPerson(failing, operator, of)).rejects.toThrow('no table');
  });

  it('includes the addresses from which the person placed a test call, but not those of a client’s server', async () => {
    const from = { address: '130.176.0.5', forwarded_for: '203.0.113.7' };
    const key = { kind: 'key' as const, key_id: 'key_1', name: 'backend' };
    const member = { kind: 'member' as const, user_id: 'u1', name: 'Asha', ...from };
    const city = aPersonsWorld([
      aCallOfPerson(1, { placed_by: { ...key, ...from } }),
      aCallOfPerson(2, { placed_by: member }),
      aCallOfPerson(3, { placed_by: undefined }),
    ]);
    const files = { getTranscript: async (path: string) => city.files.get(path) };
    const { calls } = await exportPerson({ ...city.deps, files, personKey: KEY }, operator, of);
    const placedBy = new Map(calls.map(({ call_id, placed_by }) => [call_id, placed_by]));
    expect([1, 2, 3].map((number) => placedBy.get(idOf(number)))).toEqual([key, member, undefined]);
    expect(city.all('calls').find(({ call_id }) => call_id === idOf(1))?.placed_by).toEqual({ ...key, ...from });
  });
});
