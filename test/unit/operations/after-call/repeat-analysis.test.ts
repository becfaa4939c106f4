import type { Actor } from '../../../../shared/domain/organizations/audit-entry.ts';
import { repeatAnalysis } from '../../../../shared/operations/after-call/repeat-analysis.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };

function anAnalyzedCall() {
  const world = anEndedCall({
    analysis: { state: 'failed', error: 'HTTP 503' },
    finished_at: '2026-03-02T07:00:00.000Z',
  });
  const { analyst: _, ...deps } = world.deps;
  const repeat = (org_id = world.call.org_id) =>
    repeatAnalysis(
      {
        ...deps,
        analystWithin: () => ({ analyze: async () => world.model() }),
        modelTimeoutMs: 1_000,
        elapsedMs: () => 0,
        newToken: () => 'token',
      },
      actor,
      { org_id, call_id: world.call.call_id },
    );
  return Object.assign(world, { repeat, audited: () => world.all('audit') });
}

describe('an analysis that a person repeats', () => {
  it('replaces the result, in one transaction with its audit entry, wherever the function dies', async () => {
    for await (const [world, cut] of worldThatDies(anAnalyzedCall, ({ repeat }) => repeat(), 2)) {
      const isStored = world.stored().analysis?.state === 'done';
      expect([cut, world.audited().length]).toEqual([cut, isStored ? 1 : 0]);
    }
    const world = anAnalyzedCall();
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    expect(world.audited()).toMatchObject([{ action: 'call.analyzed', actor, thing: { name: '+91*******678' } }]);
  });

  it('puts a number on the do-not-call list, as any analysis', async () => {
    const world = anAnalyzedCall();
    world.answer(analyzed({ do_not_call: true }));
    await world.repeat();
    expect([world.list().length, world.audited().length]).toEqual([1, 1]);
  });

  it('changes nothing without a valid answer, or for another organization', async () => {
    const world = anAnalyzedCall();
    world.answer({ kind: 'invalid', reason: 'no JSON' });
    expect(await world.repeat()).toMatchObject({ kind: 'invalid' });
    expect(await world.repeat('org2')).toEqual({ kind: 'call_not_found' });
    expect([world.stored().analysis?.state, world.audited()]).toEqual(['failed', []]);
  });
});
