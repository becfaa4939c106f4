import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { reconcileSlots } from '../../../../../shared/operations/calls/slots/reconcile-slots.ts';
import { orgScope, STAGE_SCOPE } from '../../../../../shared/stores/calls/slots/slots.ts';
import { randomOf } from '../../../../simulation/random.ts';
import { aClaimedCall } from '../../../support/call.ts';
import { aWorld } from '../../../support/worlds/world.ts';

const SLOTS = 200;
const MOVES_PER_SECOND = 2;
/** The time of one read of a call: 25 calls are read at once. */
const READ_MS = 0.4;

type Failures = {
  /** How long the index of unfinished calls lags behind its table. */
  lagSeconds?: number;
  /** How far the clocks of the functions that reserve slots are ahead. */
  aheadMs?: number;
  /** The SDK repeats each update, because the answer is lost. A repeated transaction is a no-op by its token. */
  isRepeated?: boolean;
};

/**
 * A stage with 200 live calls, each of which is replaced when it ends. Slots move while the counters are compared:
 * during the wait, and during the reads, which take time.
 */
function aBusyStage(
  orgs: readonly string[],
  seed: number,
  { lagSeconds = 0, aheadMs = 0, isRepeated = false }: Failures = {},
) {
  const world = aWorld({}, (send) => async (command: object) => {
    const answer = (await send(command as never)) as { Items?: { call_id: string }[] };
    pass(READ_MS);
    if (isRepeated && command instanceof UpdateCommand) return send(command as never);
    if (!answer.Items) return answer;
    const shown = secondsAfter(world.now, -lagSeconds);
    return { ...answer, Items: answer.Items.filter(({ call_id }) => (takenAt.get(call_id) ?? '') <= shown) };
  });
  const takenAt = new Map<string, string>();
  const random = randomOf(seed).next;
  const live: { call_id: string; org_id: string }[] = [];
  let calls = 0;
  let isQuiet = false;
  const changeOf = (scope: string, by: number) => {
    const { live: count = 0, moves = 0 } = world.find('slots', { scope }) ?? {};
    world.put('slots', {
      ...world.find('slots', { scope }),
      scope,
      live: Number(count) + by,
      moves: Number(moves) + 1,
    });
  };
  const take = () => {
    const org_id = orgs[Math.floor(random() * orgs.length)] ?? '';
    const call_id = `call_${++calls}`;
    const slots = [STAGE_SCOPE, orgScope(org_id)];
    takenAt.set(call_id, world.now);
    world.putCall(aClaimedCall({ call_id, org_id, slots, slots_at: secondsAfter(world.now, aheadMs / 1_000) }));
    for (const scope of slots) changeOf(scope, 1);
    live.push({ call_id, org_id });
  };
  const giveBack = () => {
    const [gone] = live.splice(Math.floor(random() * live.length), 1);
    if (!gone) return;
    const { slots: _, slots_at: __, ...call } = world.callOf(gone.call_id);
    world.putCall({ ...call, status: 'completed', unfinished: 'ended' });
    for (const scope of [STAGE_SCOPE, orgScope(gone.org_id)]) changeOf(scope, -1);
  };
  function pass(ms: number): void {
    world.pass(ms / 1000);
    if (isQuiet || random() >= (ms / 1000) * MOVES_PER_SECOND) return;
    if (live.length >= SLOTS) giveBack();
    else take();
  }
  const deps = {
    ...world.common,
    sleep: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) pass(100);
    },
  };
  isQuiet = true;
  for (let slot = 0; slot < SLOTS; slot += 1) take();
  world.pass(60);
  isQuiet = false;
  return {
    world,
    /** Makes the counters wrong, as an operator who edits an item would. */
    leak: (scopes: readonly string[], by: number) => {
      for (const scope of scopes) {
        const counter = world.find('slots', { scope });
        world.put('slots', { ...counter, live: Number(counter?.live) + by });
      }
    },
    /** Runs like recover-calls, with some seconds of other moves in between. */
    reconcile: async () => {
      await deps.sleep(20_000);
      return reconcileSlots(deps, []);
    },
    wrong: () => {
      const scopes = [STAGE_SCOPE, ...orgs.map(orgScope)];
      const held = (scope: string) =>
        live.filter(({ org_id }) => scope === STAGE_SCOPE || scope === orgScope(org_id)).length;
      return Object.fromEntries(
        scopes.flatMap((scope) => {
          const by = Number(world.find('slots', { scope })?.live ?? 0) - held(scope);
          return by === 0 ? [] : [[scope, by]];
        }),
      );
    },
  };
}

const many = Array.from({ length: 20 }, (_, index) => `org_${index}`);

describe('slot counters of a stage with 200 lines and two moves a second', () => {
  it.each([
    ['20 organizations', [STAGE_SCOPE, 'org#org_3'], 1, many],
    ['20 organizations', [STAGE_SCOPE, 'org#org_3'], -1, many],
    ['20 organizations', [STAGE_SCOPE], 1, many],
    ['20 organizations', [STAGE_SCOPE], -1, many],
    ['20 organizations', ['org#org_3'], 1, many],
    ['one organization', [STAGE_SCOPE, 'org#org_0'], 1, ['org_0']],
    ['one organization', [STAGE_SCOPE, 'org#org_0'], -1, ['org_0']],
  ])('of %s are corrected within 15 runs: %j, wrong by %d', async (_what, scopes, by, orgs) => {
    const stage = aBusyStage(orgs, 7);
    stage.leak(scopes, by);
    let runs = 0;
    for (; Object.keys(stage.wrong()).length > 0 && runs < 15; runs += 1) await stage.reconcile();
    expect([stage.wrong(), runs]).toEqual([{}, expect.any(Number)]);
    expect(stage.world.counted).toContain('SlotsCorrected');
  });

  it.each([
    ['both runs are at the same time', {}, 2],
    ['the answers of the database are lost and the SDK repeats the writes', { isRepeated: true }, 1],
  ])('are corrected once after a leak, even if %s', async (_why, failures, atOnce) => {
    const stage = aBusyStage(many, 7, failures);
    stage.leak([STAGE_SCOPE, 'org#org_3'], 3);
    let corrected = 0;
    for (let run = 0; Object.keys(stage.wrong()).length > 0 && run < 15; run += 1) {
      const runs = await Promise.all(Array.from({ length: atOnce }, stage.reconcile));
      corrected = runs.reduce((sum, one) => sum + one, corrected);
    }
    expect([corrected, stage.wrong()]).toEqual([6, {}]);
  });

  it.each<[string[], Failures]>([
    [many, {}],
    [['org_0'], {}],
    [many, { lagSeconds: 4 }],
    [['org_0'], { lagSeconds: 4, aheadMs: 400 }],
  ])('are not changed if they are correct: %j, %j', async (orgs, failures) => {
    const stage = aBusyStage(orgs, 11, failures);
    for (let run = 0; run < 10; run += 1) expect(await stage.reconcile()).toBe(0);
    expect([stage.wrong(), stage.world.counted]).toEqual([{}, []]);
  });
});
