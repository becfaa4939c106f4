import fc from 'fast-check';
import { type TableName, tables } from '../../../../lib/tables.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { acknowledge, viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { readJsonAsWritten } from '../../../../shared/domain/text/exact-json.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { newestCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { type PlacingRequest, placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { keyCounterStore } from '../../../../shared/stores/organizations/key-counters.ts';
import { barredNumbers } from '../../../support/values/numbers.ts';
import { aCall } from '../../support/call.ts';
import { inWaves } from '../../support/waves.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, LIST_KEY, START } from '../../support/worlds/world.ts';

const EARLIER = '2026-02-01T00:00:00.000Z';
const apiKey = newApiKey(ORG);
const authorization = `Bearer ${apiKey}`;
const key = {
  key_hash: hashApiKey(apiKey),
  key_id: 'key_1',
  org_id: ORG,
  name: 'k',
  permissions: ['calls:write'],
  created_at: EARLIER,
};
const request = {
  phone_number: '+919812345678',
  assistant_id: 'asst_1',
  metadata: {},
  idempotency_key: 'order-7',
  callback_url: undefined,
};
const placing: PlacingRequest = { requestId: 'request-1', authorization, from: {}, body: { ok: true, request } };
const onDoNotCallList = { 'do-not-call': [{ org_id: ORG, phone: request.phone_number, added_at: EARLIER }] };
const onItAsErased = {
  'do-not-call': [{ org_id: ORG, phone: erasedNumber(LIST_KEY, ORG, request.phone_number), added_at: EARLIER }],
};
const counters = keyCounterStore({} as never, '').beginning(key.key_hash).Put?.Item as object;
const replayed = aCall({ org_id: ORG, call_id: callIdFor(ORG, 'order-7'), request_id: 'request-0' });
const LONG_NUMBERS = '{"order":9007199254740993,"of":[12345678901234567890,{"share":0.12345678901234567890}]}';
const tableNames = Object.keys(tables) as TableName[];

/** A world whose database answers in waves. */
function aWorldInWaves(over: Contents = {}, call?: Call) {
  const { waves, wrap } = inWaves();
  const items = {
    'api-keys': [key],
    organizations: [anOrg()],
    assistants: [anAssistant()],
    'rate-limits': [counters],
  };
  const world = aWorld({ ...items, ...over }, wrap);
  if (call) world.putCall(call);
  return {
    place: (more: Partial<PlacingRequest> = {}) => placeCall(world.common, { ...placing, ...more }),
    get: (header: string | undefined) => getCall(world.common, header, aCall().call_id),
    waves,
    all: world.all,
    entries: () => newestCreditEntries(world.common, ORG, 9),
    everything: () => tableNames.map((name) => world.all(name)),
    counted: world.counted,
    correlated: world.correlated,
    pass: world.pass,
  };
}

describe('a request makes round trips to the database', () => {
  it('to read a call: one', async () => {
    const { get, waves } = aWorldInWaves({}, aCall({ org_id: ORG }));
    expect(await get(authorization)).toMatchObject({ kind: 'found' });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Update']]);
  });

  it('to read a call with the first request of a key in an hour, or in its life: no more', async () => {
    const { get, waves, pass } = aWorldInWaves({}, aCall({ org_id: ORG }));
    for (const seconds of [0, 20, 3_600, 7 * 86_400]) {
      pass(seconds);
      waves.length = 0;
      expect(await get(authorization)).toMatchObject({
        kind: 'found',
        rate: { remaining: seconds === 20 ? 598 : 599 },
      });
      expect([seconds, waves]).toEqual([seconds, [['Get', 'Get', 'Get', 'Update']]]);
    }
  });

  it('with the first request of a key of an older version: one more, once, to begin its counters', async () => {
    const { get, waves, pass } = aWorldInWaves({ 'rate-limits': [] }, aCall({ org_id: ORG }));
    const read = ['Get', 'Get', 'Get', 'Update'];
    expect(await get(authorization)).toMatchObject({ kind: 'found', rate: { remaining: 599 } });
    expect(waves).toEqual([read, ['Update']]);
    expect(await get(authorization)).toMatchObject({ kind: 'found', rate: { remaining: 598 } });
    pass(3_600);
    await get(authorization);
    expect(waves.slice(2)).toEqual([read, read]);
  });

  it('to place a call: one of reads, and one transaction', async () => {
    const { place, waves } = aWorldInWaves();
    expect(await place()).toMatchObject({ kind: 'placed' });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Get', 'Get', 'Update'], ['TransactWrite']]);
  });

  it('to place the first call of a key in an hour: no more', async () => {
    const { place, waves, pass } = aWorldInWaves();
    for (const idempotency_key of ['order-8', 'order-9']) {
      pass(3_600);
      waves.length = 0;
      expect(await place({ body: { ok: true, request: { ...request, idempotency_key } } })).toMatchObject({
        kind: 'placed',
        rate: { limit: 60, remaining: 59 },
      });
      expect(waves).toHaveLength(2);
    }
  });

  it.each<[string, Contents]>([
    ['do_not_call', onDoNotCallList],
    ['do_not_call', onItAsErased],
    ['org_suspended', { organizations: [anOrg({ suspended_at: EARLIER })] }],
  ])('to refuse a call: one (%s), and one more for a call of its idempotency key', async (kind, over) => {
    const { place, waves } = aWorldInWaves(over);
    const body = { ok: true, request: { ...request, idempotency_key: undefined } } as const;
    expect(await place({ body })).toMatchObject({ kind });
    expect(waves).toHaveLength(1);
    expect(await place()).toMatchObject({ kind });
    expect(waves.slice(2)).toEqual([['Get']]);
  });

  it('to repeat an answer: one of reads, and the transaction that finds the call', async () => {
    const { place, waves, everything } = aWorldInWaves({ organizations: [anOrg({ available: 0 })] }, replayed);
    const before = everything().filter((_items, index) => tableNames[index] !== 'rate-limits');
    expect(await place()).toMatchObject({ kind: 'replayed', call: { call_id: replayed.call_id } });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Get', 'Get', 'Update'], ['TransactWrite']]);
    expect(everything().filter((_items, index) => tableNames[index] !== 'rate-limits')).toEqual(before);
  });

  it('to repeat an answer while other calls write the credit: the call is read', async () => {
    const world = aWorld({ 'api-keys': [key], organizations: [anOrg()], assistants: [anAssistant()] });
    const transact = () => Promise.reject(new TransactionContention('8 tries'));
    const place = () => placeCall({ ...world.common, transact }, placing);
    await expect(place()).rejects.toThrow(TransactionContention);
    world.putCall(replayed);
    expect(await place()).toMatchObject({ kind: 'replayed', call: { call_id: replayed.call_id } });
    world.putCall({ ...replayed, request_id: placing.requestId });
    expect(await place()).toMatchObject({ kind: 'placed' });
  });

  it.each(['Bearer svc_live_x', 'Bearer x', undefined])(
    'to refuse a malformed key: no round trip (%j)',
    async (header) => {
      const { place, get, waves } = aWorldInWaves();
      expect(await place({ authorization: header })).toMatchObject({ kind: 'refused' });
      expect(await get(header)).toMatchObject({ kind: 'refused' });
      expect(waves).toEqual([]);
    },
  );
});

describe('the requests to the database', () => {
  /** Keys of the same form that differ only in the last bytes, or in the first. */
  const guesses = [newApiKey(ORG), newApiKey(ORG), newApiKey('org2')];

  it.each<[string, Contents, string]>([
    ['a key that does not exist', { 'api-keys': [] }, apiKey],
    ...guesses.map((guess): [string, Contents, string] => ['a guessed key', {}, guess]),
    ['a key of no organization', { organizations: [] }, apiKey],
    ['a key of another organization', { 'api-keys': [{ ...key, org_id: 'org2' }] }, apiKey],
    ['a revoked key', { 'api-keys': [{ ...key, revoked_at: EARLIER }] }, apiKey],
  ])(
    'are the same for %s as for a valid key, so that their time reveals no difference',
    async (_what, over, presented) => {
      const good = aWorldInWaves({}, aCall({ org_id: ORG }));
      await good.get(authorization);
      const other = aWorldInWaves(over, aCall({ org_id: ORG }));
      expect(await other.get(`Bearer ${presented}`)).toMatchObject({ kind: 'refused' });
      expect(other.waves).toEqual(good.waves);
    },
  );
});

describe('the first reason that applies refuses a request', () => {
  const body: PlacingRequest['body'] = { ok: false, error: 'invalid_request', message: 'no' };
  const revoked = { 'api-keys': [{ ...key, permissions: [], revoked_at: EARLIER }] };
  const ofOtherOrg = { 'api-keys': [{ ...key, org_id: 'org2' }] };
  const unpermitted = { 'api-keys': [{ ...key, permissions: ['calls:read'] }] };
  const limited = { organizations: [anOrg({ requests_per_minute: 0 })] };
  const suspended = { organizations: [anOrg({ suspended_at: EARLIER })] };
  const elsewhere = { assistants: [anAssistant({ org_id: 'org2' })] };

  it.each<[string, Contents, { call?: Call; body?: PlacingRequest['body'] }]>([
    ['invalid_api_key', { 'api-keys': [], ...limited, ...elsewhere }, { body }],
    ['invalid_api_key', ofOtherOrg, {}],
    ['revoked_api_key', { ...revoked, ...limited }, { body }],
    ['rate_limited', { ...unpermitted, ...limited, ...elsewhere }, { body }],
    ['not_permitted', { ...unpermitted, ...suspended, ...elsewhere }, {}],
    ['invalid_body', { ...suspended, ...elsewhere }, { call: replayed, body }],
    ['replayed', { ...suspended, assistants: [] }, { call: replayed }],
    ['replayed', { ...suspended, ...elsewhere }, { call: replayed }],
    ['assistant_not_found', { ...suspended, assistants: [] }, {}],
    ['assistant_wrong_org', { ...suspended, ...elsewhere }, {}],
    ['replayed', { ...suspended, ...onDoNotCallList }, { call: replayed }],
    ['do_not_call', { ...suspended, ...onDoNotCallList }, {}],
    ['do_not_call', { ...suspended, ...onItAsErased }, {}],
    ['org_suspended', suspended, {}],
  ])('with the result %s, and writes nothing', async (result, over, { call, ...more }) => {
    const { place, waves } = aWorldInWaves(over, call);
    const outcome = await place(more);
    expect(outcome.kind === 'refused' ? outcome.error : outcome.kind).toBe(result);
    expect(waves.flat()).not.toContain('TransactWrite');
  });

  it.each([aCall({ org_id: 'org2' }), undefined])('for a call of another org as not found', async (call) => {
    expect(await aWorldInWaves({}, call).get(authorization)).toMatchObject({ kind: 'call_not_found' });
  });
});

const HOLD = 10_000;

describe('the traces of a key', () => {
  const name = 'backend';
  const named = { 'api-keys': [{ ...key, name }] };

  it('are its call and its ledger entry, with the addresses of the request', async () => {
    const { place, all, entries, correlated } = aWorldInWaves(named);
    const from = { address: '203.0.113.7', forwarded_for: '198.51.100.7' };
    const placed = await place({ from });
    expect(all('calls')).toMatchObject([{ placed_by: { kind: 'key', key_id: 'key_1', name, ...from } }]);
    expect((await entries()).map(({ kind, key: by }) => [kind, by])).toEqual([
      ['hold', { key_id: 'key_1', name, ...from }],
    ]);
    if (placed.kind !== 'placed') throw new Error(placed.kind);
    expect(JSON.stringify([viewCall(placed.call), acknowledge(placed.call)])).not.toMatch(
      /placed_by|key_1|203\.0|198\.51/,
    );
    expect(correlated).toEqual([{ org_id: ORG, key_id: 'key_1' }, { call_id: placed.call.call_id }]);
  });

  it('have metadata with every digit of its numbers', async () => {
    const { place, all } = aWorldInWaves();
    const metadata = readJsonAsWritten(LONG_NUMBERS) as Record<string, unknown>;
    const placed = await place({ body: { ok: true, request: { ...request, metadata } } });
    const again = await place();
    const [stored] = all('calls');
    expect(stored?.request_metadata).toBe(LONG_NUMBERS);
    for (const answer of [placed, again]) {
      const call = 'call' in answer && viewCall(answer.call);
      expect(call && JSON.stringify(call.request_metadata)).toBe(LONG_NUMBERS);
    }
  });

  it('keep the values of the first request after a replay', async () => {
    const { place, all } = aWorldInWaves(named);
    await place({ from: { address: '203.0.113.7' } });
    const again = { requestId: 'request-2', from: { address: '203.0.113.8' } };
    expect(await place(again)).toMatchObject({ kind: 'replayed' });
    expect(all('calls')).toMatchObject([{ placed_by: { address: '203.0.113.7' } }]);
  });

  it.each<[string, string | undefined, Contents, object[]]>([
    ['without a key', undefined, {}, []],
    ['with another token', 'Bearer eyJ.x.y', {}, []],
    ['with an unknown key', authorization, { 'api-keys': [] }, []],
    [
      'with a revoked key',
      authorization,
      { 'api-keys': [{ ...key, revoked_at: EARLIER }] },
      [{ org_id: ORG, key_id: 'key_1' }],
    ],
  ])('are only a count after a request %s', async (_, header, over, known) => {
    const { get, counted, correlated, everything } = aWorldInWaves({ 'rate-limits': [], ...over });
    const before = everything();
    expect(await get(header)).toMatchObject({ kind: 'refused' });
    expect([counted, correlated]).toEqual([['NotAuthenticated'], known]);
    expect(everything()).toEqual(before);
  });

  it('are only its counters after a request with a key that another version has revoked', async () => {
    const { get, all, everything } = aWorldInWaves({ 'api-keys': [{ ...key, revoked_at: START }] });
    const others = () => everything().flatMap((items, index) => (tableNames[index] === 'rate-limits' ? [] : items));
    const before = others();
    for (const _ of [1, 2]) expect(await get(authorization)).toMatchObject({ error: 'revoked_api_key' });
    expect([all('rate-limits').length, others()]).toEqual([1, before]);
  });

  it('count no refusal of a request that is admitted or over its limit', async () => {
    for (const over of [{}, { organizations: [anOrg({ requests_per_minute: 0 })] }]) {
      const { get, counted, correlated } = aWorldInWaves(over, aCall({ org_id: ORG }));
      await get(authorization);
      expect([counted, correlated]).toEqual([[], [{ org_id: ORG, key_id: 'key_1' }]]);
    }
  });
});

describe('placing many calls at once', () => {
  it('places one call per idempotency key, and holds no more credit than exists, in any order of answers', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 7 });
    const rule = async (requested: string[], affordable: number, scheduler: fc.Scheduler) => {
      const { common, all } = aWorld(
        {
          organizations: [anOrg({ available: affordable * HOLD })],
          'api-keys': [key],
          assistants: [anAssistant()],
        },
        (send) => scheduler.scheduleFunction(send),
      );
      const place = (idempotency_key: string, index: number) =>
        placeCall(common, {
          requestId: `request-${index}`,
          authorization,
          from: {},
          body: { ok: true, request: { ...request, idempotency_key } },
        });
      const results = await scheduler.waitFor(Promise.all(requested.map(place)));

      const placed = results.flatMap((result) => (result.kind === 'placed' ? [result.call.call_id] : []));
      expect(placed).toHaveLength(Math.min(new Set(requested).size, affordable));
      expect(new Set(placed).size).toBe(placed.length);
      expect(all('calls').map(({ call_id }) => call_id)).toEqual(expect.arrayContaining(placed));
      for (const [index, { kind }] of results.entries()) {
        const hasCall = placed.includes(callIdFor(ORG, requested[index] as string));
        expect(kind).toMatch(hasCall ? /^(placed|replayed)$/ : /^insufficient_credits$/);
      }
      const held = placed.length * HOLD;
      expect(all('organizations')).toMatchObject([{ available: affordable * HOLD - held, held }]);
      const entries = await scheduler.waitFor(newestCreditEntries(common, ORG, 9));
      expect([all('calls').length, entries.length]).toEqual([placed.length, placed.length]);
    };
    await fc.assert(fc.asyncProperty(keys, fc.integer({ min: 0, max: 4 }), fc.scheduler(), rule), { numRuns: 60 });
  });
});

describe('the destination of a call', () => {
  const to = (phone_number: string): PlacingRequest['body'] => ({
    ok: true,
    request: { ...request, idempotency_key: undefined, phone_number },
  });
  const inCountries = (countries?: string[]) => ({ organizations: [anOrg({ default_region: 'IN', countries })] });

  it.each([
    ['of an organization from before the rule', undefined],
    ['even to an allowed country', ['US', 'GB', 'DE', 'FR', 'IT', 'AU']],
  ])('is never one of the 26 barred numbers, %s, and a refusal writes no item', async (_, countries) => {
    const numbers = Object.values(barredNumbers).flat();
    expect(numbers).toHaveLength(26);
    const { place, waves } = aWorldInWaves(inCountries(countries));
    const accepted = [];
    for (const number of numbers) {
      const { kind } = await place({ body: to(number) });
      if (kind !== 'destination_not_allowed') accepted.push(`${number}: ${kind}`);
    }
    expect(accepted).toEqual([]);
    expect(waves.flat()).not.toContain('TransactWrite');
  });

  it.each([
    ['+919812345678', [], 'placed'],
    ['+971501234567', [], 'Numbers in United Arab Emirates (AE) are not called for this organization.'],
    ['+971501234567', ['AE'], 'placed'],
    ['+971501234567', undefined, 'placed'],
    ['+12125550123', ['CA'], 'Numbers in United States (US) are not called for this organization.'],
    ['+14165550123', ['CA'], 'placed'],
    ['+19005551234', ['US'], 'This number (US) is never called'],
  ])('in %s with the countries %j: %s', async (number, countries, result) => {
    const { place } = aWorldInWaves(inCountries(countries));
    const placed = await place({ body: to(number) });
    if (result === 'placed') expect(placed).toMatchObject({ kind: 'placed' });
    else expect(placed).toMatchObject({ kind: 'destination_not_allowed', message: expect.stringContaining(result) });
  });
});
