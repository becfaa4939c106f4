import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { analyzeCall } from '../../../../shared/operations/after-call/analyze-call.ts';
import { repeatAnalysis } from '../../../../shared/operations/after-call/repeat-analysis.ts';
import { keyCounterStore } from '../../../../shared/stores/organizations/key-counters.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';
import { inWaves } from '../../support/waves.ts';
import { anOrg } from '../../support/worlds/items.ts';

const member = { kind: 'member', user_id: 'u1', email: 'priya@example.com' } as const;

/** A finished call that a client and a person may analyze, in a world whose database answers in waves. */
function anAnalyzedCall({ isLimited = true } = {}) {
  const { waves, wrap } = inWaves();
  const finished = {
    analysis: { state: 'failed', error: 'HTTP 503' },
    finished_at: '2026-03-02T07:00:00.000Z',
  } as const;
  const world = anEndedCall(finished, wrap);
  const { org_id, call_id } = world.call;
  const apiKey = newApiKey(org_id);
  const key_hash = hashApiKey(apiKey);
  world.put('organizations', anOrg({ org_id }));
  world.put('api-keys', { key_hash, key_id: 'k', org_id, name: 'k', permissions: [], created_at: world.now });
  world.put('rate-limits', keyCounterStore({} as never, '').beginning(key_hash).Put?.Item as object);
  const { analyst, ...common } = world.deps;
  const unlimited = { countOfOrg: async () => 1, claim: async () => ({ kind: 'claimed' }) as const };
  const deps = {
    ...common,
    ...(!isLimited && { rateLimits: { ...common.rateLimits, ...unlimited } }),
    ...{ analystWithin: () => analyst, modelTimeoutMs: 1_000, elapsedMs: () => 0, newToken: () => 'token' },
  };
  return Object.assign(world, {
    waves,
    analyzeByKey: () => analyzeCall(deps, `Bearer ${apiKey}`, call_id),
    repeat: () => repeatAnalysis(deps, member, { org_id, call_id }),
  });
}

describe('the number of round trips to the database for an analysis that a client requests', () => {
  it('is three with its limits: key and call, assistant and limits, and the result', async () => {
    const { analyzeByKey, waves } = anAnalyzedCall();
    expect(await analyzeByKey()).toMatchObject({ kind: 'found', analysis: { kind: 'analyzed' } });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Update'], ['Get', 'Update', 'Update'], ['TransactWrite']]);
  });

  it('is also three without the limits of organization and call', async () => {
    const { analyzeByKey, waves } = anAnalyzedCall({ isLimited: false });
    expect(await analyzeByKey()).toMatchObject({ kind: 'found', analysis: { kind: 'analyzed' } });
    expect(waves).toEqual([['Get', 'Get', 'Get', 'Update'], ['Get'], ['TransactWrite']]);
  });

  it('is two if a limit of the call refuses it, and one if the rate limit of the key does', async () => {
    const { analyzeByKey, waves } = anAnalyzedCall();
    await analyzeByKey();
    waves.length = 0;
    expect(await analyzeByKey()).toMatchObject({ analysis: { kind: 'too_often' } });
    expect(waves).toHaveLength(2);
    for (let more = 0; more < 8; more += 1) await analyzeByKey();
    waves.length = 0;
    expect(await analyzeByKey()).toMatchObject({ kind: 'rate_limited' });
    expect(waves).toHaveLength(1);
  });
});

describe('the number of round trips to the database for an analysis that a person repeats', () => {
  it.each([true, false])(
    'is four after the admission of the member, one of them for the audit log (with limits: %s)',
    async (isLimited) => {
      const { repeat, waves } = anAnalyzedCall({ isLimited });
      expect(await repeat()).toMatchObject({ kind: 'analyzed' });
      const limits = isLimited ? ['Update', 'Update'] : [];
      expect(waves).toEqual([['Get', 'Get'], ['Get', ...limits], ['Get'], ['TransactWrite']]);
    },
  );

  it('is two if a limit of the call refuses it', async () => {
    const { repeat, waves } = anAnalyzedCall();
    await repeat();
    waves.length = 0;
    expect(await repeat()).toMatchObject({ kind: 'too_often' });
    expect(waves).toHaveLength(2);
  });

  it('is one more if it adds a number to the do-not-call list', async () => {
    const { repeat, answer, waves } = anAnalyzedCall();
    answer(analyzed({ do_not_call: true }));
    expect(await repeat()).toMatchObject({ kind: 'analyzed' });
    expect(waves).toHaveLength(5);
  });
});
