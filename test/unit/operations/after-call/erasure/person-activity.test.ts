import { claimFor } from '../../../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { phoneHash } from '../../../../../shared/domain/connections/phone-hash.ts';
import { erasePerson } from '../../../../../shared/operations/after-call/erasure/erase-person.ts';
import { retryAllLeads } from '../../../../../shared/operations/leads/retry-leads.ts';
import type { EntryKey } from '../../../../../shared/stores/connections/activity.ts';
import {
  anEvent,
  anEventAt,
  erase,
  exportOf,
  furtherNumbers,
  OTHER,
  operator,
  PERSON,
} from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  connectionTo,
  idOf,
  LEAD,
  PHONE,
} from '../../../support/erasure/person.ts';
import { ORG } from '../../../support/worlds/items.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

type Deps = ReturnType<typeof aPersonsWorld>['deps'];

/** Queues all leads again that were not called for lack of credit. @returns their number */
const retry = (world: ReturnType<typeof aPersonsWorld>) =>
  retryAllLeads(
    { ...world.deps, leadQueue: world.queue() },
    operator,
    { connection_id: 'conn_1', org_id: ORG, type: 'crm-a' },
    { outcome: 'insufficient_credits', since: '2026-01-01T00:00:00.000Z' },
  );

describe('erasing a person', () => {
  it.each([
    ['with the number', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-78', outcome: 'insufficient_credits' }],
    ['without a number, of the lead of a call that was erased before', { lead_id: LEAD }],
    ['without a number, of a lead that only Activity names', { lead_id: 'lead-79' }],
  ])('forgets Activity that is written during the run without a call: %s', async (_, over) => {
    const city = aPersonsWorld([aCallOfPerson(1, { unfinished: 'ended', finished_at: undefined })]);
    city.put('activity', anEvent('evt_1', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-79' }));
    city.duringFirstWait(() => {
      city.put('activity', anEvent('evt_2', over));
    });
    expect(await erase(city)).toMatchObject({ receipt: { calls: { length: 1 }, activity: 3 } });
    expect(city.left([...canaries, 'lead-78', 'lead-79'])).toEqual([]);
  });

  it.each<[string, (deps: Deps, arrive: () => void) => Partial<Deps>]>([
    [
      'each of its rounds finds new Activity',
      ({ doNotCall }, arrive) => ({
        doNotCall: {
          ...doNotCall,
          getMany: (...args) => {
            arrive();
            return doNotCall.getMany(...args);
          },
        },
      }),
    ],
    [
      'new Activity arrives for each entry that it reduces',
      ({ activity }, arrive) => ({
        activity: {
          ...activity,
          forget: (...args) => {
            arrive();
            return activity.forget(...args);
          },
        },
      }),
    ],
  ])('gives up, so that it can be repeated, if %s', async (_, arriving) => {
    const city = aPersonsWorld([]);
    let events = 0;
    const arrive = () => {
      if (events === 500) return;
      events += 1;
      city.put('activity', anEvent(`evt_${events}`, { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    };
    arrive();
    const run = erasePerson({ ...city.deps, ...arriving(city.deps, arrive) }, operator, PERSON);
    await expect(run).rejects.toThrow('run the command again');
    expect(await erase(city)).toMatchObject({ kind: 'erased' });
    expect(city.left(canaries)).toEqual([]);
    expect(new Set(city.all('activity').map(({ reason }) => reason))).toEqual(new Set(['The person was erased.']));
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
    expect(await erasePerson({ ...city.deps, activity }, operator, PERSON)).toMatchObject({ receipt: { activity: 1 } });
    expect(city.left(canaries)).toEqual([]);
  });

  it.each<[string, (world: ReturnType<typeof aPersonsWorld>, key: EntryKey) => unknown, object[]]>([
    ['is superseded', ({ stores }, key) => stores.activity.supersede(key, 'evt_2'), [{ superseded_by: 'evt_2' }]],
    ['gets another retention', ({ stores }, key) => stores.activity.keepUntil(key, 3e9), [{ expires_at: 3e9 }]],
    ['expires', (world, key) => world.remove('activity', key), []],
  ])('undoes nothing if an entry %s between its read and its reduction', async (_, change, expected) => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_1', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const { forget } = city.deps.activity;
    const activity = {
      ...city.deps.activity,
      forget: async (entry: Parameters<typeof forget>[0]) => {
        await change(city, { connection_id: entry.connection_id, event_id: entry.event_id });
        return forget(entry);
      },
    };
    await erasePerson({ ...city.deps, activity }, operator, PERSON);
    expect(city.all('activity')).toEqual(expected.map((one) => expect.objectContaining({ ...one, event_id: 'evt_1' })));
    expect(city.left(canaries)).toEqual([]);
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

  it('finds all of 250 stored events of leads with the number, and no event of other leads or organizations', async () => {
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
  ])('finds the stored event of a lead at a connection of a newer version, too: %s', async (_, act) => {
    const city = aPersonsWorld([]);
    city.put('connections', { ...connectionTo('crm-a'), connection_id: 'conn_newer', type: 'crm-c' });
    city.put('activity', anEventAt('evt_7', { phones: [OTHER, PHONE] }, { connection_id: 'conn_newer' }));
    expect(JSON.stringify(await act(city))).toMatch(/"activity":(1|\[\{)/);
  });

  it('finds the stored events of leads, and the claims on the leads, when it is repeated after a crash at any line', async () => {
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
});
