import { setImmediate, setTimeout } from 'node:timers/promises';
import { TIMEOUT_SECONDS } from '../../../../lib/constructs/service-function.ts';
import { functionRow } from '../../../../lib/functions.ts';
import {
  erasureReceiptSchema,
  isGenuineReceipt,
  pseudonymOf,
  receiptSchema,
  signReceipt,
} from '../../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { writeTalk } from '../../../../shared/domain/calls/conversation/talk.ts';
import { claimFor, expiringClaimFor } from '../../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { eraseCall } from '../../../../shared/operations/after-call/erasure/erase-call.ts';
import { BOTH_FORMS_MS, erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { leaveTombstone } from '../../../../shared/operations/calls/leave-tombstone.ts';
import { retryAllLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { aCall, aCalledLead, aClaimedCall } from '../../support/call.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  PERSON_KEY as KEY,
  LEAD,
  PHONE,
  recordsOfCall,
} from '../../support/person.ts';
import { MONDAY, ORG } from '../../support/worlds/items.ts';
import { LIST_KEY } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const operator: Actor = { kind: 'operator', name: 'ravi' };
const OTHER = '+919812345678';
const AT = '2026-03-01T06:00:00.000Z';
const of = { org_id: ORG, phone: PHONE };

const erase = (world: ReturnType<typeof aPersonsWorld>) => erasePerson(world.deps, operator, of);

const filesOf = (world: ReturnType<typeof aPersonsWorld>) => ({
  findText: async (key: string) => world.files.get(key),
});

const exportOf = (world: ReturnType<typeof aPersonsWorld>) =>
  exportPerson({ ...world.deps, files: filesOf(world), personKey: KEY }, operator, of);

/** An entry of Activity of an event without a call. */
const anEvent = (event_id: string, over: object) => ({
  ...{ connection_id: 'conn_1', event_id, org_id: ORG, at: '2026-03-01T05:00:00.000Z', source: 'webhook', test: false },
  ...{ event: 'lead_edited', outcome: 'owner_mismatch', reason: 'Asha Iyer', payload_keys: [], expires_at: 4e9 },
  ...over,
});

const nothing = { files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: 0, remote_records: [] };
const UNKNOWN_CLAIMS =
  "claims on leads that no stored call and no Activity of the number names, with the lead's id in the CRM, for 92 days";
const CLAIMS_OF_OTHERS = "claims on the person's leads that calls to other numbers hold, with the lead's id in the CRM";

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

/** An entry of a lead that is called at another number, or at none, with its stored event. */
const anEventAt = (event_id: string, lead: { phones?: string[]; fields?: Record<string, string> }, over = {}) => {
  const stored = {
    ...{ event_id, connection_id: 'conn_1', source: 'webhook', event: 'new_lead', test: false, payload_keys: [] },
    ...{ at: '2026-03-01T05:00:00.000Z', lead: { lead_id: LEAD, do_not_call: false, phones: [], fields: {}, ...lead } },
  };
  return anEvent(event_id, {
    ...{ outcome: 'insufficient_credits', phone_hash: phoneHash(ORG, OTHER), lead_id: LEAD, owner_id: 'o' },
    ...{ reason: 'Too little credit.', retryable: JSON.stringify(stored), ...over },
  });
};

/** Leads whose events are stored for a retry, with the number as people write it, beside another number. */
const furtherNumbers: [where: string, lead: Parameters<typeof anEventAt>[1]][] = [
  ['its second phone', { phones: [OTHER, '098765 43210'], fields: { FirstName: 'Asha Iyer' } }],
  ['a phone field with two numbers', { phones: [`${OTHER} / +91-98765-43210`] }],
  ['a field that is not a phone to dial', { phones: ['98123 45678'], fields: { mx_Alternate: '98765-43210' } }],
];

/** Queues all leads again that were not called for want of credit. @returns their number */
const retry = (world: ReturnType<typeof aPersonsWorld>) =>
  retryAllLeads(
    { ...world.deps, leadQueue: world.queue() },
    operator,
    { connection_id: 'conn_1', org_id: ORG, type: 'crm-a' },
    { outcome: 'insufficient_credits', since: '2026-01-01T00:00:00.000Z' },
  );

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
    expect(receipt.person).toBe(pseudonymOf(KEY, ORG, PHONE));
    const sorted = Object.fromEntries(Object.entries(receipt).sort()) as typeof receipt;
    expect([isGenuineReceipt(KEY, receipt), isGenuineReceipt(KEY, sorted)]).toEqual([true, true]);
    expect(isGenuineReceipt(KEY, { ...receipt, calls: receipt.calls.slice(1) })).toBe(false);
    expect(isGenuineReceipt('another', receipt)).toBe(false);
  });

  it('yields a receipt that says for each call whether the voice platform has deleted its data', async () => {
    const never = aCallOfPerson(4, {
      platform_id: undefined,
      former_platform_ids: undefined,
      second_platform_ids: undefined,
    });
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

  it('yields a receipt that says of which calls the voice platform does not know', async () => {
    const city = aPersonsWorld([aCallOfPerson(1), aCallOfPerson(2)]);
    city.atPlatform.delete('former-2');
    expect(await erase(city)).toMatchObject({
      platform_left: [],
      receipt: {
        calls: [
          { call_id: idOf(1), platform: 'erased' },
          { call_id: idOf(2), platform: 'absent' },
        ],
        remains: expect.arrayContaining([expect.stringMatching(/^data of 1 call at the voice platform, if another/)]),
      },
    });
    city.atPlatform.add('former-2');
    expect(await erase(city)).toMatchObject({ receipt: { calls: Array(2).fill({ platform: 'erased' }) } });
    expect(city.atPlatform.size).toBe(0);
  });

  it('includes calls that call erase has erased, and deletes what the platform still has of them', async () => {
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

  it('has an id deleted that a late message reveals after its call was erased, during the rest of the run', async () => {
    const city = aPersonsWorld([1, 2, 3, 4, 5, 6].map((number) => aCallOfPerson(number)));
    await erase(city);
    for (const id of ['busy', 'late']) city.atPlatform.add(id);
    await city.stores.calls.noteLate(idOf(6), 'busy');
    city.failures.push('status 503');
    const sleep = city.deps.sleep;
    city.deps.sleep = async (ms) => {
      city.deps.sleep = sleep;
      await city.stores.calls.noteLate(idOf(1), 'late');
      await sleep(ms);
    };
    expect(await erase(city)).toMatchObject({ platform_left: [] });
    expect([...city.atPlatform]).toEqual([]);
  });

  it('asks the platform once in a run for each id that it does not know', async () => {
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

  it('erases a call, too, that is placed or gets into the index by number during the run', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
    const sleep = city.deps.sleep;
    city.deps.sleep = async (ms) => {
      city.deps.sleep = sleep;
      city.putCall(aCallOfPerson(2));
      city.put('activity', anEvent('evt_2', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
      city.files.set(`recordings/${ORG}/${idOf(2)}.wav`, 'a flat by the lake');
      city.putCall(aCall({ call_id: idOf(3), phone_number: PHONE }));
      await sleep(ms);
    };
    const erased = await erase(city);
    const { calls, activity } = erased.kind === 'erased' ? erased.receipt : { calls: [], activity: 0 };
    expect([city.left(canaries), calls.map(({ call_id }) => call_id).sort(), activity]).toEqual([
      [],
      [1, 2, 3].map(idOf),
      3,
    ]);
  });

  it.each([
    ['with the number', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-78', outcome: 'insufficient_credits' }],
    ['without a number, of the lead of a call that was erased before', { lead_id: LEAD }],
    ['without a number, of a lead that only Activity names', { lead_id: 'lead-79' }],
  ])('forgets Activity that is written during the run without a call: %s', async (_, over) => {
    const city = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
    city.put('activity', anEvent('evt_1', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-79' }));
    const sleep = city.deps.sleep;
    city.deps.sleep = async (ms) => {
      city.deps.sleep = sleep;
      city.put('activity', anEvent('evt_2', over));
      await sleep(ms);
    };
    expect(await erase(city)).toMatchObject({ receipt: { calls: { length: 1 }, activity: 3 } });
    expect(city.left([...canaries, 'lead-78', 'lead-79'])).toEqual([]);
  });

  it('gives up, so that it can be repeated, if each of its rounds finds new Activity', async () => {
    const city = aPersonsWorld([]);
    let events = 0;
    const arrive = () => {
      events += 1;
      city.put('activity', anEvent(`evt_${events}`, { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    };
    arrive();
    const getMany = async (...args: Parameters<typeof city.deps.doNotCall.getMany>) => {
      arrive();
      return city.stores.doNotCall.getMany(...args);
    };
    const run = erasePerson({ ...city.deps, doNotCall: { ...city.deps.doNotCall, getMany } }, operator, of);
    await expect(run).rejects.toThrow('run the command again');
    expect(await erase(city)).toMatchObject({ kind: 'erased' });
    expect(city.left(canaries)).toEqual([]);
  });

  it('gives up, so that it can be repeated, if new Activity arrives for each entry that it reduces', async () => {
    const city = aPersonsWorld([]);
    let events = 0;
    const arrive = () => {
      events += 1;
      city.put('activity', anEvent(`evt_${events}`, { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    };
    arrive();
    const forget = async (...args: Parameters<typeof city.deps.activity.forget>) => {
      if (events < 500) arrive();
      return city.stores.activity.forget(...args);
    };
    const run = erasePerson({ ...city.deps, activity: { ...city.deps.activity, forget } }, operator, of);
    await expect(run).rejects.toThrow('run the command again');
    expect(await erase(city)).toMatchObject({ kind: 'erased' });
    expect(city.left(canaries)).toEqual([]);
  });

  it('counts each entry once, although a read after its reduction may still return it as it was', async () => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_1', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const { entriesOf } = city.stores.activity;
    const stale = await entriesOf([{ connection_id: 'conn_1', event_id: 'evt_1' }]);
    const answers = Array(4).fill(stale);
    const activity = {
      ...city.deps.activity,
      entriesOf: async (keys: Parameters<typeof entriesOf>[0]) => answers.shift() ?? entriesOf(keys),
    };
    city.freezeIndexes();
    expect(await erasePerson({ ...city.deps, activity }, operator, of)).toMatchObject({ receipt: { activity: 1 } });
    expect(city.left(canaries)).toEqual([]);
  });

  it('removes what is stored again, late or by a restore of a table, when it is repeated', async () => {
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

  it('keeps the claims on the number of a call that was placed during the run', async () => {
    const city = aPersonsWorld([]);
    const placed = aCall({ call_id: idOf(4), phone_number: PHONE, lead: aCalledLead(), claims_day: MONDAY });
    const claim = expiringClaimFor(
      phoneClaimKey(ORG, PHONE, MONDAY),
      { ownerId: 'evt_4', callId: idOf(4), now: new Date(AT) },
      new Date(AT),
    );
    city.put('claims', claim);
    city.freezeIndexes();
    city.putCall(placed);
    await erase(city);
    expect(city.all('claims')).toEqual([claim]);
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

  it('yields a receipt that names each write and dial whose result the service never learned', async () => {
    const lost = { platform_id: undefined, former_platform_ids: undefined, second_platform_ids: undefined };
    const unknown = [
      aCallOfPerson(1, { note: { state: 'unconfirmed', at: AT }, ticket: { state: 'asked', at: AT } }),
      aCallOfPerson(2, { ...lost, status: 'failed', ended_reason: 'platform_unreachable' }),
      aCallOfPerson(3, { note: { state: 'failed', at: AT }, ended_reason: 'lost' }),
    ];
    const erased = await erase(aPersonsWorld(unknown));
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    const { calls, remains } = receiptSchema.parse(JSON.parse(JSON.stringify(erased.receipt)));
    expect(calls.map(({ call_id, found }) => [call_id, found.unconfirmed]).sort()).toEqual([
      [idOf(1), ['note', 'ticket']],
      [idOf(2), ['dial']],
      [idOf(3), undefined],
    ]);
    expect(remains).toContain(
      'records, and data at the voice platform, that may exist although no answer named them: see "unconfirmed" of 2 calls',
    );
    expect(isGenuineReceipt(KEY, erased.receipt)).toBe(true);
    expect(await erase(aCity())).toMatchObject({
      receipt: { remains: expect.not.arrayContaining([expect.stringContaining('unconfirmed')]) },
    });
  });

  it('yields a receipt that names calls that the index by number may not have yet', async () => {
    const city = aPersonsWorld([]);
    city.freezeIndexes();
    city.putCall(aCall({ call_id: idOf(4), phone_number: PHONE }));
    const erased = await erase(city);
    expect(erased).toMatchObject({ kind: 'erased', receipt: { calls: [] } });
    expect(city.left([PHONE])).toEqual([PHONE]);
    expect(erased.kind === 'erased' && erased.receipt.remains).toContain(
      'calls that were placed during the run, or in the seconds before it',
    );
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
    const former = signReceipt(KEY, {
      ...{ org_id: ORG, person: 'p', done_at: 'then', done_by: 'ravi', activity: 0, do_not_call: 'kept', remains: [] },
      calls: [{ call_id: idOf(1), erased_at: 'then', found: nothing }],
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

  it('ends for a second operator who begins while the first one waits', async () => {
    const city = aRefusingCity();
    const sleeping: (() => void)[] = [];
    const sleep = () => new Promise<void>((wake) => sleeping.push(wake));
    let running = 0;
    const begin = async () => {
      running += 1;
      const end = await erase({ ...city, deps: { ...city.deps, sleep } }).catch((error: unknown) => error);
      running -= 1;
      return end;
    };
    const first = begin();
    while (sleeping.length < 1) await setImmediate();
    city.pass(10);
    const second = begin();
    while (sleeping.length < 2) await setImmediate();
    for (; running > 0; await setImmediate()) {
      city.pass(15);
      sleeping.shift()?.();
      while (running > 0 && sleeping.length === 0) await setImmediate();
    }
    const kept = { receipt: { do_not_call: 'kept_as_hash' } };
    expect(await Promise.all([first, second])).toMatchObject([kept, kept]);
    expect(city.left([PHONE])).toEqual([]);
  });

  it.each([-3_600, -30, 3_600])(
    'waits by its own clock for a number that a machine %i s ahead or behind has hidden',
    async (seconds) => {
      const city = aRefusingCity();
      const [entry] = await city.stores.doNotCall.getMany(ORG, [PHONE]);
      if (!entry) throw new Error('not listed');
      const at = new Date(Date.parse(city.now) + seconds * 1000).toISOString();
      await city.deps.transact(await city.stores.doNotCall.listingAsHash(entry, at));
      expect(await erase(city)).toMatchObject({ receipt: { do_not_call: 'kept_as_hash' } });
      expect(city.slept.filter((ms) => ms !== 90_000)).toEqual([BOTH_FORMS_MS]);
      expect(city.left([PHONE])).toEqual([]);
    },
  );

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
    const { listingAsHash } = city.deps.doNotCall;
    const doNotCall = {
      ...city.deps.doNotCall,
      listingAsHash: (...args: Parameters<typeof listingAsHash>) => {
        city.remove('do-not-call', { org_id: ORG, phone: PHONE });
        return listingAsHash(...args);
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

  it('frees the claims on a lead whose calls are gone, as long as Activity names the lead', async () => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date('2025-12-15T06:00:00.000Z') };
    city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2025-12-15'), taken));
    city.put('calls', { call_id: idOf(6), erased_of: ORG, erased_at: 'then', erasure_done_at: 'then', found: nothing });
    city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2026-02-12'), { ...taken, callId: idOf(6) }));
    await erase(city);
    expect(city.all('claims')).toEqual([]);
  });

  it('keeps the claims on a lead that a queued message may still need as keyed hashes, as long as it may be queued', async () => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date(AT) };
    for (const day of ['2026-03-01', '2026-02-13', '2026-02-12'])
      city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, day), taken));
    await erase(city);
    const hidden = (day: string) => leadClaimKey('conn_1', erasedNumber(LIST_KEY, ORG, LEAD), day);
    const midnight = (day: string) => Date.parse(`${day}T00:00:00.000+05:30`) / 1000;
    expect(city.all('claims')).toMatchObject([
      { claim: hidden('2026-03-01'), owner_id: 'evt_0', expires_at: midnight('2026-03-19') },
      { claim: hidden('2026-02-13'), owner_id: 'evt_0', expires_at: midnight('2026-03-03') },
    ]);
    expect(city.left(canaries)).toEqual([]);
  });

  it('frees them before Activity no longer names the lead, and only after no event of it can be retried', async () => {
    const begin = () => {
      const city = aPersonsWorld([]);
      for (const id of ['evt_8', 'evt_9'])
        city.put('activity', {
          ...anEvent(id, { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD, outcome: 'expired' }),
          retryable: '{}',
        });
      const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date('2026-02-10T06:00:00.000Z') };
      city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2026-02-10'), taken));
      return city;
    };
    for await (const [city, cut] of worldThatDies(begin, erase, 10)) {
      const isFreed = city.all('claims').length === 0;
      const retryable = city.all('activity').filter((entry) => entry.retryable !== undefined);
      expect([cut, isFreed && retryable.length > 0]).toEqual([cut, false]);
      await erase(city);
      expect([cut, city.left(canaries)]).toEqual([cut, []]);
    }
  });

  it.each(furtherNumbers)('finds the stored event of a lead by %s, and the lead cannot be retried', async (_, lead) => {
    const begin = () => aPersonsWorld([]);
    const [kept, city] = [begin(), begin()];
    for (const world of [kept, city]) world.put('activity', anEventAt('evt_7', lead));
    expect(await retry(kept)).toBe(1);
    expect(await erase(city)).toMatchObject({ kind: 'erased', receipt: { activity: 1 } });
    expect([await retry(city), city.left([...canaries, OTHER, phoneHash(ORG, OTHER)])]).toEqual([0, []]);
    expect(await erase(city)).toMatchObject({ receipt: { activity: 0 } });
  });

  it('finds all of many such events, and no event of other leads or organizations', async () => {
    const city = aPersonsWorld([], { connections: [connectionTo('crm-b'), connectionTo('crm-a')] });
    const [crmA, crmB] = city.all('connections').map(({ connection_id }) => ({ connection_id }));
    const [both, other] = [{ phones: [OTHER, PHONE] }, { phones: [OTHER], fields: { Notes: `Not ${PHONE}1.` } }];
    for (let number = 0; number < 250; number += 1)
      city.put('activity', anEventAt(`evt_${number}`, both, { ...(number % 2 ? crmA : crmB), lead_id: `l${number}` }));
    const rest = [
      anEventAt('evt_other', other, { ...crmA, lead_id: 'l-other' }),
      anEventAt('evt_of_org', both, { org_id: 'org2', connection_id: 'conn_of_org2' }),
      { ...anEventAt('evt_old', {}, { ...crmA, lead_id: 'l-old' }), retryable: 'not JSON' },
    ];
    for (const entry of rest) city.put('activity', entry);
    expect(await erase(city)).toMatchObject({ receipt: { activity: 250 } });
    expect(city.all('activity').filter(({ retryable }) => retryable)).toEqual(expect.arrayContaining(rest));
    expect(city.all('activity').filter(({ lead_id }) => lead_id)).toHaveLength(rest.length);
  });

  it.each([
    ['erasure', erase],
    ['export', exportOf],
  ])('finds them at a connection of a newer version, too: %s', async (_, act) => {
    const city = aPersonsWorld([]);
    city.put('connections', { ...connectionTo('crm-a'), connection_id: 'conn_newer', type: 'crm-c' });
    city.put('activity', anEventAt('evt_7', { phones: [OTHER, PHONE] }, { connection_id: 'conn_newer' }));
    expect(JSON.stringify(await act(city))).toMatch(/"activity":(1|\[\{)/);
  });

  it('finds them again when it is repeated after a crash at any line, with the claims on their leads', async () => {
    const begin = () => {
      const city = aPersonsWorld([]);
      for (const id of ['evt_7', 'evt_8']) city.put('activity', anEventAt(id, { phones: [OTHER, PHONE] }));
      const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date('2026-02-10T06:00:00.000Z') };
      city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2026-02-10'), taken));
      return city;
    };
    for await (const [city, cut] of worldThatDies(begin, erase, 10)) {
      await erase(city);
      expect([cut, city.left([...canaries, OTHER]), city.all('claims')]).toEqual([cut, [], []]);
    }
  });

  it('yields a receipt that names the number in data of calls to other numbers as remaining', async () => {
    const erased = await erase(aPersonsWorld([aCallOfPerson()]));
    expect(erased).toMatchObject({
      receipt: { remains: expect.arrayContaining([expect.stringMatching(/^the number in .* calls to other numbers/)]) },
    });
  });

  it("replaces the sweep's claim of the last 20 hours by a keyed hash that ends with them", async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: '2026-02-10' })]);
    const key = sundayClaimKey('conn_1', LEAD);
    const at = new Date(city.ms - 19 * 3_600_000);
    city.put('claims', claimFor(key, { ownerId: 'evt_1', callId: idOf(1), now: at }));
    await erase(city);
    const hidden = sundayClaimKey('conn_1', erasedNumber(LIST_KEY, ORG, LEAD));
    expect(city.all('claims')).toEqual([
      {
        ...{ claim: hidden, owner_id: 'evt_1', call_id: idOf(1), at: at.toISOString() },
        expires_at: at.getTime() / 1000 + 20 * 3_600,
      },
    ]);
  });

  it('yields a receipt that names the claims that it cannot find', async () => {
    const erased = await erase(aPersonsWorld([]));
    expect(erased).toMatchObject({ receipt: { remains: expect.arrayContaining([UNKNOWN_CLAIMS]) } });
    expect(erased).toMatchObject({ receipt: { remains: expect.not.arrayContaining([CLAIMS_OF_OTHERS]) } });
  });

  it('keeps claims on the lead that calls to other numbers hold, and reports them', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    city.putCall(aCallOfPerson(8, { phone_number: OTHER }));
    for (const claim of city.all('claims')) city.put('claims', { ...claim, owner_id: 'evt_8', call_id: idOf(8) });
    const before = city.all('claims');
    expect(await erase(city)).toMatchObject({ receipt: { remains: expect.arrayContaining([CLAIMS_OF_OTHERS]) } });
    expect(city.all('claims')).toEqual(before);
  });
});

describe('exporting a person', () => {
  it('includes all calls with transcripts and notifications, all Activity, and the do-not-call entry', async () => {
    const city = aCity();
    city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: 'then' });
    const before = city.snapshot();
    const person = await exportOf(city);
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

  it('includes calls that are not in the index by number, in the spelling of former versions', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { phone_number: '+9109876543210' })]);
    const { org_phone: _, ...former } = city.find('calls', { call_id: idOf(1) }) ?? {};
    city.put('calls', former);
    expect(await exportOf(city)).toMatchObject({ calls: [{ call_id: idOf(1), transcript: expect.any(String) }] });
  });

  it('includes the stored event of a lead without a call, with its name and notes', async () => {
    const city = aPersonsWorld([]);
    const lead = {
      lead_id: LEAD,
      phones: [PHONE],
      fields: { Last_Name: 'Asha Iyer', Description: 'a flat by the lake' },
    };
    const about = { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD, reason: 'Too late.' };
    city.put('activity', {
      ...anEvent('evt_7', { ...about, outcome: 'expired' }),
      retryable: JSON.stringify({ lead }),
    });
    city.put('activity', { ...anEvent('evt_8', { ...about, outcome: 'expired' }), retryable: 'not JSON' });
    const { calls, activity } = await exportOf(city);
    expect(calls).toEqual([]);
    expect(activity.map(({ event_id, retryable }) => [event_id, retryable]).sort()).toEqual([
      ['evt_7', { lead }],
      ['evt_8', 'not JSON'],
    ]);
  });

  it.each(furtherNumbers)('includes the stored event of a lead that has the number as %s', async (_, lead) => {
    const city = aPersonsWorld([]);
    city.put('activity', anEventAt('evt_7', lead));
    city.put('activity', anEventAt('evt_8', { phones: [OTHER] }, { lead_id: 'lead-of-another' }));
    const { activity } = await exportOf(city);
    expect(activity).toMatchObject([{ event_id: 'evt_7', retryable: { lead } }]);
  });

  it('includes the ledger of each call, without the addresses of a client, and no other entry', async () => {
    const city = aCity();
    const [entry] = city.all('credit-ledger');
    const key = { key_id: 'key_1', name: 'backend', address: '130.176.0.5', forwarded_for: '203.0.113.7' };
    city.put('credit-ledger', { ...(entry as object), entry: `${entry?.entry}1`, key });
    city.put('credit-ledger', { ...(entry as object), entry: `${entry?.entry}2`, call_id: idOf(8), amount: -77 });
    const { calls } = await exportOf(city);
    const ledgerOf = new Map(calls.map(({ call_id, ledger }) => [call_id, ledger]));
    expect([1, 2, 3].map((number) => ledgerOf.get(idOf(number))?.map(({ amount }) => amount))).toEqual([
      [-1000, -1000],
      [-1000],
      [-1000],
    ]);
    expect(ledgerOf.get(idOf(1))?.map((one) => one.key)).toEqual([undefined, { key_id: 'key_1', name: 'backend' }]);
  });

  it('includes the claims on the number and on its leads, of past days, today and days ahead', async () => {
    const ahead = aCallOfPerson(2, { claims_day: '2026-03-04' });
    const city = aPersonsWorld([aCallOfPerson(), aCallOfPerson(3, { claims_day: MONDAY }), ahead]);
    const stored = city.all('claims');
    city.put('claims', { ...(stored[0] as object), claim: phoneClaimKey(ORG, OTHER, MONDAY) });
    const { claims } = await exportOf(city);
    const byKey = (one: { claim?: unknown }, other: { claim?: unknown }) =>
      `${one.claim}` < `${other.claim}` ? -1 : 1;
    expect(stored).toHaveLength(8);
    expect(claims.toSorted(byKey)).toEqual(stored.toSorted(byKey));
  });

  it('includes the lines of a conversation with their times', async () => {
    const lines = [{ who: 'person' as const, text: 'a flat by the lake', from: 1, to: 2.5 }];
    const [timed, unreadable] = [1, 2].map((number) => {
      const lines_key = `transcripts/${ORG}/${idOf(number)}.json`;
      return aCallOfPerson(number, { lines_key });
    }) as [Call, Call];
    const city = aPersonsWorld([timed, unreadable, aCallOfPerson(3)]);
    city.files.set(timed.lines_key ?? '', writeTalk(lines));
    city.files.set(unreadable.lines_key ?? '', 'not JSON');
    const { calls } = await exportOf(city);
    const linesOf = new Map(calls.map((call) => [call.call_id, call.lines]));
    expect([1, 2, 3].map((number) => linesOf.get(idOf(number)))).toEqual([{ lines }, 'not JSON', null]);
  });

  it('names files that the bucket does not have, and includes the rest', async () => {
    const call = aCallOfPerson(1, { lines_key: `transcripts/${ORG}/${idOf(1)}.json` });
    const city = aPersonsWorld([call, aCallOfPerson(2)]);
    for (const key of [call.transcript_key, call.lines_key]) city.files.delete(key ?? '');
    const { calls, missing } = await exportOf(city);
    expect(missing.toSorted()).toEqual([call.lines_key, call.transcript_key]);
    const textOf = new Map(calls.map(({ call_id, transcript }) => [call_id, transcript]));
    expect([1, 2].map((number) => textOf.get(idOf(number)))).toEqual([null, 'Asha Iyer: a flat by the lake']);
    const files = { findText: async () => Promise.reject(new Error('no network')) };
    await expect(exportPerson({ ...city.deps, files, personKey: KEY }, operator, of)).rejects.toThrow('no network');
    expect(city.auditEntries()).toHaveLength(1);
  });

  it('includes all Activity of the number and of a lead, however much there is', async () => {
    const city = aPersonsWorld([]);
    const number = 1_005;
    const about = { phone_hash: phoneHash(ORG, PHONE), lead_id: undefined };
    for (let event = 0; event < number; event += 1) {
      city.put('activity', anEvent(`evt_n${event}`, event === 0 ? { ...about, lead_id: LEAD } : about));
      city.put('activity', anEvent(`evt_l${event}`, { lead_id: LEAD }));
    }
    expect((await exportOf(city)).activity).toHaveLength(2 * number);
  });

  it('says which stored data it does not include, and why', async () => {
    expect((await exportOf(aCity())).not_included).toEqual([
      expect.stringMatching(/^the audit log, because /),
      expect.stringMatching(/^claims with keyed hashes, and claims on leads that .* because /),
      expect.stringMatching(/^backups, queues, .* because /),
      expect.stringMatching(/^Activity beyond 100000 entries .* because /),
      expect.stringMatching(/^calls to other numbers in whose data the number occurs, .* because /),
      expect.stringMatching(/^the addresses of clients' servers, because /),
      expect.stringMatching(/^the voice platform, CRM-B and the help desk, because /),
      expect.stringMatching(/^calls whose erasure was interrupted, because /),
      expect.stringMatching(/^calls that retention has removed, .* because /),
    ]);
  });

  it('leaves an entry in the audit log with the pseudonym and counts, before it returns any data', async () => {
    const city = aCity();
    const files = filesOf(city);
    await exportPerson({ ...city.deps, files, personKey: KEY }, operator, of);
    const entries = city.auditEntries();
    expect(entries).toMatchObject([
      {
        ...{ org_id: ORG, actor: operator, action: 'person.exported' },
        ...{ thing: { id: pseudonymOf(KEY, ORG, PHONE), name: 'person' }, after: { calls: 3, activity: 8 } },
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
    const { calls } = await exportOf(city);
    const placedBy = new Map(calls.map(({ call_id, placed_by }) => [call_id, placed_by]));
    expect([1, 2, 3].map((number) => placedBy.get(idOf(number)))).toEqual([key, member, undefined]);
    expect(city.all('calls').find(({ call_id }) => call_id === idOf(1))?.placed_by).toEqual({ ...key, ...from });
  });
});
