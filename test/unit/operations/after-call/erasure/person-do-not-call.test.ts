import { setImmediate, setTimeout } from 'node:timers/promises';
import { TIMEOUT_SECONDS } from '../../../../../lib/constructs/service-function.ts';
import { functionRow } from '../../../../../lib/functions.ts';
import { BOTH_FORMS_MS, erasePerson } from '../../../../../shared/operations/after-call/erasure/erase-person.ts';
import { aCity, erase, operator, PERSON } from '../../../support/erasure/erasing.ts';
import { aCallOfPerson, aPersonsWorld, canaries, idOf, PHONE } from '../../../support/erasure/person.ts';
import { ORG } from '../../../support/worlds/items.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const LISTED = '2026-03-01T06:00:00.000Z';

/** The same data, with the person's do-not-call request. */
function aRefusingCity() {
  const city = aCity();
  city.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: LISTED, call_id: idOf(1) });
  return city;
}

describe('erasing a person', () => {
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
    await erasePerson({ ...city.deps, sleep }, operator, PERSON);
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
    await erasePerson({ ...city.deps, sleep }, operator, PERSON);
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
    const erased = await erasePerson({ ...city.deps, sleep }, operator, PERSON);
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
    const erased = await erasePerson({ ...city.deps, doNotCall }, operator, PERSON);
    expect(erased).toMatchObject({ receipt: { do_not_call: 'not_listed' } });
    expect(city.all('do-not-call')).toEqual([]);
  });
});
