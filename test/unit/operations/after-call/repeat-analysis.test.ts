import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { repeatAnalysis } from '../../../../shared/operations/after-call/repeat-analysis.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';
import { anOrg } from '../../support/worlds/items.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };

function anAnalyzedCall() {
  const world = anEndedCall({
    analysis: { state: 'failed', error: 'HTTP 503' },
    finished_at: '2026-03-02T07:00:00.000Z',
  });
  const { analyst, ...deps } = world.deps;
  const repeat = (org_id = world.call.org_id) =>
    repeatAnalysis(
      {
        ...deps,
        analystWithin: () => analyst,
        modelTimeoutMs: 1_000,
        elapsedMs: () => 0,
        newToken: () => 'token',
      },
      actor,
      { org_id, call_id: world.call.call_id },
    );
  world.put('organizations', anOrg());
  return Object.assign(world, { repeat, audited: () => world.auditEntries() });
}

describe('an analysis that a person repeats', () => {
  it('replaces the result in one transaction with its audit entry, wherever the function dies', async () => {
    for await (const [world, cut] of worldThatDies(anAnalyzedCall, ({ repeat }) => repeat(), 2)) {
      const isStored = world.stored().analysis?.state === 'done';
      expect([cut, world.audited().length]).toEqual([cut, isStored ? 1 : 0]);
    }
    const world = anAnalyzedCall();
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    expect(world.audited()).toMatchObject([{ action: 'call.analyzed', actor, thing: { name: '+91*******678' } }]);
  });

  it('adds a number to the do-not-call list like any analysis', async () => {
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

  it('is refused within 30 s of the previous one, and after 20 on a day in India', async () => {
    const world = anAnalyzedCall();
    // 23:00 in India.
    world.now = '2026-03-02T17:30:00.000Z';
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    world.pass(29);
    expect(await world.repeat()).toEqual({
      kind: 'too_often',
      reason: 'A call is analyzed by request once in 30 s at most.',
      retryAfterSeconds: 1,
    });
    for (let more = 0; more < 19; more += 1) {
      world.pass(more === 0 ? 1 : 30);
      expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    }
    world.pass(600);
    // 23:19:30 in India.
    expect(await world.repeat()).toEqual({
      kind: 'too_often',
      reason: 'A call is analyzed by request 20 times a day at most. Days begin at midnight in India.',
      retryAfterSeconds: 2_430,
    });
    expect(world.questions).toHaveLength(20);
    world.pass(3_600);
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
  });

  it('is made if the answer of the database is lost, and the SDK repeats a write', async () => {
    for await (const [world, repeated] of worldThatRepeats(anAnalyzedCall, ({ repeat }) => repeat()))
      expect([repeated, world.stored().analysis?.state, world.audited().length]).toEqual([repeated, 'done', 1]);
  });

  it('is refused within 30 s of the previous one at midnight in India, too, when a new day begins', async () => {
    const world = anAnalyzedCall();
    // 23:59:45 in India.
    world.now = '2026-03-02T18:29:45.000Z';
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    world.pass(29);
    expect(await world.repeat()).toMatchObject({ kind: 'too_often' });
    world.pass(1);
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
    expect(world.questions).toHaveLength(2);
  });

  it('is requested once, however many people request it at the same moment', async () => {
    const world = anAnalyzedCall();
    const asked = await Promise.all(Array.from({ length: 10 }, () => world.repeat()));
    expect(asked.filter(({ kind }) => kind === 'analyzed')).toHaveLength(1);
    expect(world.questions).toHaveLength(1);
  });

  it('is accepted after the wait that the refusal by a limit of the organization names', async () => {
    const world = anAnalyzedCall();
    world.now = '2026-03-02T06:00:20.000Z';
    for (let other = 0; other < 30; other += 1)
      await world.deps.rateLimits.countOfOrg(world.call.org_id, 'analyses', world.ms);
    const refused = await world.repeat();
    // The refused request counts for the call, too, although the organization's half minute ends after 10 s.
    expect(refused).toMatchObject({ kind: 'too_often', retryAfterSeconds: 30 });
    world.pass(30);
    expect(await world.repeat()).toMatchObject({ kind: 'analyzed' });
  });

  it('is refused after 30 requests of an organization in half a minute, and while it is suspended', async () => {
    const world = anAnalyzedCall();
    for (let other = 0; other < 30; other += 1)
      await world.deps.rateLimits.countOfOrg(world.call.org_id, 'analyses', world.ms);
    expect(await world.repeat()).toMatchObject({
      kind: 'too_often',
      reason: 'Your organization may have 30 calls analyzed by request in 30 s.',
    });
    world.put('organizations', anOrg({ suspended_at: world.now }));
    world.pass(60);
    expect(await world.repeat()).toEqual({ kind: 'org_suspended' });
    expect(world.questions).toEqual([]);
  });
});
