import { decideRecord, type RecordRemoval } from '../../../../../shared/domain/after-call/erasure/erased-record.ts';
import { isGenuineReceipt } from '../../../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import type { Connection } from '../../../../../shared/domain/connections/connection.ts';
import { eraseCall } from '../../../../../shared/operations/after-call/erasure/erase-call.ts';
import { erasePerson } from '../../../../../shared/operations/after-call/erasure/erase-person.ts';
import { erase, operator, PERSON } from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  PERSON_KEY as KEY,
  recordsOfCall,
} from '../../../support/erasure/person.ts';
import { aGrant } from '../../../support/worlds/items.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const forbidding = { settings: {} };

/** A person with calls that have a call log, a note, a contact and a ticket each. */
const aCity = (connections: Connection[] = [connectionTo('crm-b'), connectionTo('help-desk')], calls = 1) =>
  aPersonsWorld(
    Array.from({ length: calls }, (_, index) => aCallOfPerson(index + 1, recordsOfCall(index))),
    { connections },
  );

type City = ReturnType<typeof aCity>;

/** Erases the person. @returns the result for each record of the first call, and the reasons why records are left */
async function outcomes(city: City): Promise<{ left: string[]; [record: string]: unknown }> {
  const erased = await erase(city);
  if (erased.kind !== 'erased') throw new Error(erased.kind);
  const [{ records = [] } = {}] = erased.receipt.calls;
  return {
    ...Object.fromEntries(records.map(({ record, outcome, reason }) => [record, reason ? [outcome, reason] : outcome])),
    left: erased.records_left,
  };
}

const TRASH = 'records that are removed or absent, in the trash of CRM-B and the help desk, until it is emptied';
const KEPT = ['kept', 'other tickets may have the contact'];

describe('the records in CRM-B and the help desk of an erased person', () => {
  it('are removed if the connections allow it, except the contact, and the receipt says so', async () => {
    const city = aCity(undefined, 3);
    const erased = await erase(city);
    expect([...city.remote]).toEqual(['ticket_contact contact']);
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    const { calls, remains } = erased.receipt;
    expect(calls.map(({ call_id }) => call_id).sort()).toEqual([1, 2, 3].map(idOf));
    for (const { found, records } of calls)
      expect(records).toEqual(
        found.remote_records.map((record) => ({
          ...record,
          ...(record.record === 'ticket_contact' ? { outcome: 'kept', reason: KEPT[1] } : { outcome: 'removed' }),
        })),
      );
    expect(calls[0]?.found.remote_records).toContainEqual({
      ...{ system: 'help-desk', record: 'ticket', id: 'ticket-0', organization: '60001', at: expect.any(String) },
    });
    expect(remains).toContain(TRASH);
    expect(isGenuineReceipt(KEY, erased.receipt)).toBe(true);
    expect(isGenuineReceipt(KEY, { ...erased.receipt, calls: calls.map((one) => ({ ...one, records: [] })) })).toBe(
      false,
    );
    for (const word of canaries) expect(JSON.stringify(erased.receipt)).not.toContain(word);
  });

  it.each<[string, Connection[], outcome: string, reason: RegExp]>([
    [
      'by default',
      [connectionTo('crm-b', forbidding), connectionTo('help-desk', forbidding)],
      'kept',
      /erase_records is off/,
    ],
    ['without a connection', [], 'kept', /no such connection/],
    [
      'while disconnected',
      (['crm-b', 'help-desk'] as const).map((type) => connectionTo(type, { grant: undefined })),
      'left',
      /disconnected/,
    ],
  ])('are kept %s, without a request', async (_when, connections, outcome, reason) => {
    const city = aCity(connections);
    const { left, ticket_contact, ...rest } = await outcomes(city);
    expect(ticket_contact).toEqual(KEPT);
    for (const fate of Object.values(rest)) expect(fate).toEqual([outcome, expect.stringMatching(reason)]);
    expect([left.length > 0, city.asked, city.remote.size]).toEqual([outcome === 'left', [], 4]);
  });

  it('are kept if the connection has moved to another organization of CRM-B, which does not have them', async () => {
    const since = (organization_since: string) => [connectionTo('crm-b', { organization_since })];
    const city = aCity(since('2026-03-01T07:00:00.000Z'));
    const reason = 'the connection moved to another organization of CRM-B after the write, or in the 90 seconds before';
    expect(await outcomes(city)).toMatchObject({ call_log: ['kept', reason], note: ['kept', reason], left: [] });
    expect([city.asked, city.remote.size]).toEqual([[], 4]);
    expect(await outcomes(aCity(since('2026-02-27T07:00:00.000Z')))).toMatchObject({ note: 'removed' });
  });

  it('may include contacts that no call names, which the receipt says if a call had a ticket', async () => {
    const remainsOf = async (city: City) => {
      const erased = await erase(city);
      return erased.kind === 'erased' ? erased.receipt.remains : [];
    };
    const contacts = 'contacts of the person at the help desk, also those that no stored call names';
    expect(await remainsOf(aCity())).toContain(contacts);
    const { ticket_contact: _, ...records } = recordsOfCall(0);
    expect(await remainsOf(aPersonsWorld([aCallOfPerson(1, records)]))).toContain(contacts);
    const asked = aCallOfPerson(1, { ticket: { state: 'asked', at: '2026-03-01T06:03:00.000Z' } });
    expect(await remainsOf(aPersonsWorld([asked]))).toContain(contacts);
    expect(await remainsOf(aPersonsWorld())).not.toContain(contacts);
  });

  it('are removed by each system that allows it', async () => {
    const city = aCity([connectionTo('crm-b'), connectionTo('help-desk', forbidding)]);
    expect(await outcomes(city)).toMatchObject({
      call_log: 'removed',
      note: 'removed',
      ticket: ['kept', expect.any(String)],
      left: [],
    });
  });

  it('are listed again by a repeat, which does not request completed removals', async () => {
    const city = aCity();
    city.remote.delete('note note-0');
    const first = await outcomes(city);
    expect(first).toMatchObject({ call_log: 'removed', note: 'absent', ticket: 'removed' });
    const requests = city.asked.length;
    expect([await outcomes(city), city.asked.length]).toEqual([first, requests]);
  });

  it('are removed by a repeat once the setting allows it', async () => {
    const city = aCity([connectionTo('crm-b', forbidding)]);
    expect(await outcomes(city)).toMatchObject({ note: ['kept', expect.any(String)] });
    city.put('connections', connectionTo('crm-b'));
    expect(await outcomes(city)).toMatchObject({ note: 'removed', call_log: 'removed' });
  });

  it('are left if the consent lacks the scope, without a request for each call, until a repeat', async () => {
    const city = aCity([connectionTo('crm-b')], 12);
    const missing: RecordRemoval = { kind: 'scope_missing', scope: 'ZohoCRM.modules.calls.DELETE' };
    // Five calls are erased at the same time.
    city.removals.push(...Array(5).fill(missing));
    const reason = 'the consent lacks the scope ZohoCRM.modules.calls.DELETE: a new consent is needed';
    expect(await outcomes(city)).toMatchObject({
      call_log: ['left', reason],
      note: 'removed',
      left: [`crm-b call_log: ${reason}`],
    });
    expect(city.asked.filter((record) => record.startsWith('call_log'))).toHaveLength(5);
    expect(await outcomes(city)).toMatchObject({ call_log: 'removed', left: [] });
  });

  it('are removed after a system was busy or an answer was lost', async () => {
    const city = aCity([connectionTo('crm-b')]);
    city.removals.push({ kind: 'unavailable', reason: 'too many requests', retryAfterSeconds: 7 });
    city.removals.push({ kind: 'unknown', reason: 'status 502' });
    expect(await outcomes(city)).toMatchObject({ call_log: 'removed', note: 'removed' });
    expect(city.slept).toEqual([7_000, 4_000]);
  });

  it('are left if a system does not answer or demands a longer wait, without a request for every record', async () => {
    const down: RecordRemoval = { kind: 'unknown', reason: 'ETIMEDOUT' };
    const city = aCity([connectionTo('crm-b')], 50);
    city.removals.push(...Array(500).fill(down));
    expect(await outcomes(city)).toMatchObject({ call_log: ['left', 'ETIMEDOUT'], note: ['left', 'ETIMEDOUT'] });
    expect([city.asked.length, Math.max(...city.slept)]).toEqual([15, 4_000]);

    const busy = aCity([connectionTo('crm-b')]);
    busy.removals.push({ kind: 'unavailable', reason: 'too many requests', retryAfterSeconds: 3_600 });
    expect([await outcomes(busy), busy.slept]).toMatchObject([{ call_log: ['left', 'too many requests'] }, []]);
  });

  it('are left one by one if a system refuses one of them', async () => {
    const city = aCity([connectionTo('crm-b')]);
    city.removals.push({ kind: 'refused', code: 'NO_PERMISSION' });
    expect(await outcomes(city)).toMatchObject({ call_log: ['left', 'refused: NO_PERMISSION'], note: 'removed' });
  });

  it('are left if the consent has ended', async () => {
    const city = aCity([connectionTo('crm-b')]);
    city.removals.push({ kind: 'reconnect_needed', reason: 'invalid_code' });
    const fate = ['left', 'the consent has ended: invalid_code'];
    expect(await outcomes(city)).toMatchObject({ call_log: fate, note: fate });
  });

  it('are gone when the erasure is repeated after a crash at any line', async () => {
    for await (const [city, cut] of worldThatDies(() => aCity(), erase, 30)) {
      const { left, ...records } = await outcomes(city);
      expect([cut, left, [...city.remote]]).toEqual([cut, [], ['ticket_contact contact']]);
      expect([cut, Object.values(records).includes('left')]).toEqual([cut, false]);
    }
  }, 60_000);

  it('are removed when a single call is erased, too', async () => {
    const city = aCity();
    const erased = await eraseCall(city.deps, operator, idOf(1));
    expect(erased).toMatchObject({
      kind: 'erased',
      records: expect.arrayContaining([expect.objectContaining({ outcome: 'removed' })]),
    });
    expect([...city.remote]).toEqual(['ticket_contact contact']);
  });
});

describe('the receipt of records that an earlier removal moved into the trash', () => {
  const remainsOf = async (city: City, deps: object = {}) => {
    const erased = await erasePerson({ ...city.deps, ...deps }, operator, PERSON);
    return erased.kind === 'erased' ? erased.receipt.remains : [];
  };

  it('names the trash after a crash between the removal and its note', async () => {
    const city = aCity();
    const noteRecords = () => Promise.reject(new Error('died'));
    await expect(remainsOf(city, { erasures: { ...city.deps.erasures, noteRecords } })).rejects.toThrow('died');
    expect(await remainsOf(city)).toContain(TRASH);
  });

  it('names the trash after the answer of a removal was lost', async () => {
    const city = aCity();
    const remover = async () => async (record: { record: string; id: string }) =>
      city.remote.delete(`${record.record} ${record.id}`)
        ? { kind: 'unknown' as const, reason: 'ETIMEDOUT' }
        : { kind: 'absent' as const };
    expect(await remainsOf(city, { remover })).toContain(TRASH);
  });

  const removed = { call_log: 'removed', note: 'removed', ticket: 'removed' };

  it.each(['before', 'after'])(
    'says removed, although a second operator notes the records as absent %s the removal is noted',
    async (when) => {
      const city = aCity();
      const { noteRecords } = city.deps.erasures;
      let isFirst = true;
      const noting: typeof noteRecords = async (...args) => {
        const isOuter = isFirst;
        isFirst = false;
        const noted = when === 'after' && (await noteRecords(...args));
        if (isOuter)
          await eraseCall(
            { ...city.deps, erasures: { ...city.deps.erasures, noteRecords: noting } },
            operator,
            idOf(1),
          );
        return noted || noteRecords(...args);
      };
      const erasures = { ...city.deps.erasures, noteRecords: noting };
      const erased = await eraseCall({ ...city.deps, erasures }, operator, idOf(1));
      const shown = erased.kind === 'erased' ? erased.records : [];
      expect(Object.fromEntries(shown.map(({ record, outcome }) => [record, outcome]))).toMatchObject(removed);
      expect(await outcomes(city)).toMatchObject(removed);
    },
  );

  it('says removed, without a reason, if another run removed a record that this run could not remove', async () => {
    const city = aCity([connectionTo('crm-b')]);
    const remover = async () => async () => {
      await eraseCall(city.deps, operator, idOf(1));
      return { kind: 'refused' as const, code: 'X' };
    };
    const erased = await eraseCall({ ...city.deps, remover }, operator, idOf(1));
    const [note] = erased.kind === 'erased' ? erased.records.filter(({ record }) => record === 'note') : [];
    expect(note).toMatchObject({ outcome: 'removed' });
    expect(note).not.toHaveProperty('reason');
  });
});

describe('the decision about a record', () => {
  const note = { system: 'crm-b', record: 'note', id: '1' } as const;

  it('allows a removal only if the setting is true and the connection has a grant', () => {
    const grant = aGrant();
    expect(decideRecord(note, { grant, settings: { erase_records: true } })).toBe('remove');
    for (const erase_records of [false, 'true', 1, undefined])
      expect(decideRecord(note, { grant, settings: { erase_records } })).toMatchObject({ outcome: 'kept' });
    expect(decideRecord(note, { settings: { erase_records: true } })).toMatchObject({ outcome: 'left' });
    expect(decideRecord(note, undefined)).toMatchObject({ outcome: 'kept' });
  });

  it('is final for a removed record', () => {
    expect(decideRecord(note, undefined, { note: 'removed' })).toEqual({ outcome: 'removed' });
    expect(decideRecord(note, undefined, { call_log: 'removed' })).toMatchObject({ outcome: 'kept' });
  });
});
