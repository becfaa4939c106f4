import { describe, expect, it } from '@jest/globals';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { anArmedConnection, check, DAY, MINUTE } from '../../support/watched-connection.ts';
import { START } from '../../support/world.ts';

/** A connection whose channel delivers, with a lead that was left to the catch-up an hour after the arming. */
async function aLeftLead() {
  const world = await anArmedConnection(3_600);
  world.edit('left');
  await world.stores.channels.leaveToCatchUp('conn_1', secondsAfter(world.now, -15 * MINUTE), world.now);
  return world;
}

describe('leads that are left to the catch-up', () => {
  it('are queued once by the next check that the CRM answers', async () => {
    const world = await aLeftLead();
    world.answers.set('list', { kind: 'unavailable', reason: 'down' });
    expect(await check(world, 15 * MINUTE)).toMatchObject({ unchecked: 1, caught_up: 0 });
    world.answers.clear();
    expect(await check(world, 15 * MINUTE)).toMatchObject({ active: 1, caught_up: 1 });
    expect(await check(world, 15 * MINUTE)).toMatchObject({ active: 1, caught_up: 0 });
    expect(world.caughtUp()).toEqual(['left']);
    expect(world.row()).not.toHaveProperty('catch_up_to');
  });

  it('have the earliest start of their gaps', async () => {
    const world = await aLeftLead();
    const start = world.row().catch_up_from ?? '';
    await world.stores.channels.leaveToCatchUp('conn_1', secondsAfter(start, 60), world.now);
    expect(world.row().catch_up_from).toBe(start);
    await world.stores.channels.leaveToCatchUp('conn_1', secondsAfter(start, -60), world.now);
    expect(world.row().catch_up_from).toBe(secondsAfter(start, -60));
  });

  it('belong to the next run if they are left while a run queries the CRM', async () => {
    const world = await aLeftLead();
    const { leadsChanged } = world.deps;
    world.deps.leadsChanged = async (...args) => {
      const changed = await leadsChanged(...args);
      // The query that looks for silence reads one lead.
      if (args[2] === 1) return changed;
      world.deps.leadsChanged = leadsChanged;
      world.edit('later', 1);
      await world.stores.channels.leaveToCatchUp('conn_1', secondsAfter(world.now, -15 * MINUTE), world.now);
      return changed;
    };
    world.pass(20 * MINUTE);
    await check(world);
    expect(world.caughtUp()).toEqual(['left']);
    expect(world.row().catch_up_from).toBeDefined();
    await check(world, 15 * MINUTE);
    expect(world.caughtUp()).toContain('later');
    expect(world.row().catch_up_from).toBeUndefined();
  });

  it('close the breaker of their connection', async () => {
    const world = await aLeftLead();
    world.change({
      crm_breaker: { failures: 9, lead_id: 'left', opened_at: START, not_before: secondsAfter(START, DAY) },
    });
    await check(world, MINUTE);
    expect(world.row().crm_breaker).toBeUndefined();
  });

  it.each([
    [2, []],
    [3, ['LeadGivenUp']],
  ])('are counted as given up if their gap is older than two days: %d days', async (days, counted) => {
    const world = await aLeftLead();
    world.change({ catch_up_from: secondsAfter(world.now, -days * DAY) });
    await check(world);
    expect(world.counted).toEqual(counted);
  });
});
