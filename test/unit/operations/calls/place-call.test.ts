import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { type TableName, tables } from '../../../../lib/tables.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { acknowledge, viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { createApiKey, hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { type PlacingRequest, placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { barredNumbers } from '../../../support/numbers.ts';
import { aCall } from '../../support/call.ts';
import type { Contents, Send } from '../../support/database.ts';
import { anAssistant, anOrg, ORG } from '../../support/items.ts';
import { aWorld, LIST_KEY, START } from '../../support/world.ts';

const EARLIER = '2026-02-01T00:00:00.000Z';
const apiKey = createApiKey(ORG);
const authorization = `Bearer ${apiKey}`;
const key = {
  key_hash: hashApiKey(apiKey),
  key_id: 'key_1',
  org_id: ORG,
  name: 'k',
  permissions: ['calls:write'],
  created_at: EARLIER,
  last_used_at: START,
};
const request = {
  phone_number: '+919812345678',
  assistant_id: 'asst_1',
  metadata: {},
  idempotency_key: 'order-7',
  callback_url: undefined,
};
const placing: PlacingRequest = { requestId: 'request-1', authorization, body: { ok: true, request } };
const onDoNotCallList = { 'do-not-call': [{ org_id: ORG, phone: request.phone_number, added_at: EARLIER }] };
const onItAsErased = {
  'do-not-call': [{ org_id: ORG, phone: erasedNumber(LIST_KEY, ORG, request.phone_number), added_at: EARLIER }],
};
/** The key has sent a request in this clock hour. */
const begunHour = { key_minute: `${key.key_hash}#${Math.floor(Date.parse(START) / 3_600_000)}` };
const replayed = aCall({ org_id: ORG, call_id: callIdFor(ORG, 'order-7') });

/**
 * A world whose database answers in waves: all pending requests at once, when no other request follows. Requests of one
 * wave therefore ran in parallel.
 */
function aWorldInWaves(over: Contents = {}, call?: Call) {
  const waves: string[][] = [];
  let wave: string[] | undefined;
  let answer = Promise.resolve();
  const inWaves =
    (send: Send): Send =>
    async (command: never) => {
      if (!wave) {
        wave = [];
        waves.push(wave);
        answer = turn().then(() => {
          wave?.sort();
          wave = undefined;
        });
      }
      wave.push((command as object).constructor.name.replace('Command', ''));
      await answer;
      return send(command);
    };
  const items = {
    'api-keys': [key],
    organizations: [anOrg()],
    assistants: [anAssistant()],
    'rate-limits': [begunHour],
  };
  const world = aWorld({ ...items, ...over }, inWaves);
  if (call) world.putCall(call);
  return {
    place: (more: Partial<PlacingRequest> = {}) => placeCall(world.common, { ...placing, ...more }),
    get: (header: string | undefined) => getCall(world.common, header, aCall().call_id),
    waves,
    all: world.all,
    everything: () => (Object.keys(tables) as TableName[]).map((name) => world.all(name)),
    counted: world.counted,
    correlated: world.correlated,
    pass: world.pass,
    noted: () => world.all('api-keys')[0]?.last_used_at,
  };
}

describe('round trips to the database', () => {
  it('to read a call: one', async () => {
    const { get, waves } = aWorldInWaves({}, aCall({ org_id: ORG }));
    expect(await get(authorization)).toMatchObject({ kind: 'found' });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Update']]);
  });

  it('to begin an hour of a key, and to note its use: one more', async () => {
    const { get, waves, pass, noted } = aWorldInWaves({ 'rate-limits': [] }, aCall({ org_id: ORG }));
    const read = ['Get', 'Get', 'Get', 'Update'];
    await get(authorization);
    expect(waves).toEqual([read, ['Update', 'Update']]);
    await get(authorization);
    expect(waves.slice(2)).toEqual([read]);
    pass(3_600);
    await get(authorization);
    expect([waves.slice(3), noted()]).toEqual([[read, ['Update', 'Update']], secondsAfter(START, 3_600)]);
  });

  it('to place a call: one of reads, and one transaction', async () => {
    const { place, waves } = aWorldInWaves();
    expect(await place()).toMatchObject({ kind: 'placed' });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Get', 'TransactGet', 'Update'], ['TransactWrite']]);
  });

  it.each<[string, Contents, Call | undefined]>([
    ['do_not_call', onDoNotCallList, undefined],
    ['do_not_call', onItAsErased, undefined],
    ['replayed', {}, replayed],
  ])('to answer without a new call: one (%s)', async (kind, over, call) => {
    const { place, waves } = aWorldInWaves(over, call);
    expect(await place()).toMatchObject({ kind });
    expect(waves).toHaveLength(1);
  });

  it.each(['Bearer svc_live_x', 'Bearer x', undefined])('to refuse a malformed key: none (%j)', async (header) => {
    const { place, get, waves } = aWorldInWaves();
    expect(await place({ authorization: header })).toMatchObject({ kind: 'refused' });
    expect(await get(header)).toMatchObject({ kind: 'refused' });
    expect(waves).toEqual([]);
  });
});

describe('the requests to the database', () => {
  /** Of the same form, so that only the last bytes differ, or the first. */
  const guesses = [createApiKey(ORG), createApiKey(ORG), createApiKey('org2')];

  it.each<[string, Contents, string]>([
    ['a key that nobody has', { 'api-keys': [] }, apiKey],
    ...guesses.map((guess): [string, Contents, string] => ['a guessed key', {}, guess]),
    ['a key of no organization', { organizations: [] }, apiKey],
    ['a key of another organization', { 'api-keys': [{ ...key, org_id: 'org2' }] }, apiKey],
    ['a revoked key', { 'api-keys': [{ ...key, revoked_at: EARLIER }] }, apiKey],
  ])('are as many for %s as for a good one, so that their time does not tell it', async (_what, over, presented) => {
    const good = aWorldInWaves({}, aCall({ org_id: ORG }));
    await good.get(authorization);
    const other = aWorldInWaves(over, aCall({ org_id: ORG }));
    expect(await other.get(`Bearer ${presented}`)).toMatchObject({ kind: 'refused' });
    expect(other.waves).toEqual(good.waves);
  });
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
    ['assistant_not_found', { ...suspended, assistants: [] }, { call: replayed }],
    ['assistant_wrong_org', { ...suspended, ...elsewhere }, { call: replayed }],
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

describe('what can be traced to a key', () => {
  const name = 'backend';
  const named = { 'api-keys': [{ ...key, name }] };

  it('is its call and its entry of the ledger, with the address of the request', async () => {
    const { place, all, correlated } = aWorldInWaves(named);
    const placed = await place({ address: '203.0.113.7' });
    expect(all('calls')).toMatchObject([{ placed_by: { kind: 'key', key_id: 'key_1', name, address: '203.0.113.7' } }]);
    expect(all('credit-ledger').map(({ kind, key: by }) => [kind, by])).toEqual([
      ['hold', { key_id: 'key_1', name, address: '203.0.113.7' }],
    ]);
    if (placed.kind !== 'placed') throw new Error(placed.kind);
    expect(JSON.stringify([viewCall(placed.call), acknowledge(placed.call)])).not.toMatch(/placed_by|key_1|203\.0/);
    expect(correlated).toEqual([{ org_id: ORG, key_id: 'key_1' }, { call_id: placed.call.call_id }]);
  });

  it('is, after a replay, what the first request had', async () => {
    const { place, all } = aWorldInWaves(named);
    await place({ address: '203.0.113.7' });
    expect(await place({ address: '203.0.113.8' })).toMatchObject({ kind: 'replayed' });
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
  ])('a request %s is counted, and writes nothing', async (_, header, over, known) => {
    const { get, counted, correlated, everything } = aWorldInWaves({ 'rate-limits': [], ...over });
    const before = everything();
    expect(await get(header)).toMatchObject({ kind: 'refused' });
    expect([counted, correlated]).toEqual([['KeyRefused'], known]);
    expect(everything()).toEqual(before);
  });

  it('a request that is admitted, or over its limit, is not counted as refused', async () => {
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
      expect([all('calls').length, all('credit-ledger').length]).toEqual([placed.length, placed.length]);
    };
    await fc.assert(fc.asyncProperty(keys, fc.integer({ min: 0, max: 4 }), fc.scheduler(), rule), { numRuns: 60 });
  });
});

describe('where calls may go', () => {
  const to = (phone_number: string): PlacingRequest['body'] => ({
    ok: true,
    request: { ...request, idempotency_key: undefined, phone_number },
  });
  const inCountries = (countries?: string[]) => ({ organizations: [anOrg({ default_region: 'IN', countries })] });

  it.each([
    ['of an organization from before the rule', undefined],
    ['even to an allowed country', ['US', 'GB', 'DE', 'FR', 'IT', 'AU']],
  ])('refuses each of the 26 barred numbers, %s, and writes nothing', async (_, countries) => {
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
  ])('of %s with the countries %j: %s', async (number, countries, result) => {
    const { place } = aWorldInWaves(inCountries(countries));
    const placed = await place({ body: to(number) });
    if (result === 'placed') expect(placed).toMatchObject({ kind: 'placed' });
    else expect(placed).toMatchObject({ kind: 'destination_not_allowed', message: expect.stringContaining(result) });
  });
});
