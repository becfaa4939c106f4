import { pseudonymOf } from '../../../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { writeTalk } from '../../../../../shared/domain/calls/conversation/talk.ts';
import { phoneClaimKey } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { phoneHash } from '../../../../../shared/domain/connections/phone-hash.ts';
import { exportPerson } from '../../../../../shared/operations/after-call/erasure/export-person.ts';
import {
  aCity,
  anEvent,
  anEventAt,
  exportOf,
  filesOf,
  furtherNumbers,
  OTHER,
  operator,
  PERSON,
} from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  idOf,
  PERSON_KEY as KEY,
  LEAD,
  PHONE,
} from '../../../support/erasure/person.ts';
import { MONDAY, ORG } from '../../../support/worlds/items.ts';

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
    await expect(exportPerson({ ...city.deps, files }, operator, PERSON)).rejects.toThrow('no network');
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
    await exportPerson({ ...city.deps, files }, operator, PERSON);
    const entries = city.auditEntries();
    expect(entries).toMatchObject([
      {
        ...{ org_id: ORG, actor: operator, action: 'person.exported' },
        ...{ thing: { id: pseudonymOf(KEY, ORG, PHONE), name: 'person' }, after: { calls: 3, activity: 8 } },
      },
    ]);
    for (const word of canaries) expect(JSON.stringify(entries)).not.toContain(word);
    const transact = async () => Promise.reject(new Error('no table'));
    const failing = { ...city.deps, transact, files };
    await expect(exportPerson(failing, operator, PERSON)).rejects.toThrow('no table');
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
