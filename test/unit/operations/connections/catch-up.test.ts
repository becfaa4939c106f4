import { type Condition, parseCoql } from '../../../../local/simulators/crm-b/rules/coql-parse.ts';
import { undeliveredSince } from '../../../../shared/domain/connections/deliveries/watch-channel.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { CrmBAnswer, CrmBRequest } from '../../../../shared/integrations/crm-b/api.ts';
import { leadsChangedBetween } from '../../../../shared/integrations/crm-b/coql.ts';
import { anArmedConnection, check, DAY, MINUTE, renew } from '../../support/watched-connection.ts';
import { START } from '../../support/worlds/world.ts';

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
      // The query that detects silence reads one lead.
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

  it('are all queued, however small the pages of the CRM are, and however many changed in one second', async () => {
    const world = await aLeftLead();
    // More than one run queues; 600 changed in the same second, on three pages of 200 leads.
    const rows = Array.from({ length: 5_200 }, (_, index) => {
      const at = secondsAfter(world.now, -10 * MINUTE + Math.floor(index / 600));
      return { id: String(1_000 + index), Created_Time: at, Modified_Time: at };
    });
    const isMet = (row: (typeof rows)[number], condition: Condition): boolean => {
      if ('joint' in condition)
        return condition.parts[condition.joint === 'and' ? 'every' : 'some']((part) => isMet(row, part));
      const { column, operator, values } = condition;
      const read = (text: string) => (column === 'id' ? Number(text) : Date.parse(text));
      const [own, wanted] = [row[column as 'id' | 'Modified_Time'], values[0]?.text ?? ''].map(read) as [
        number,
        number,
      ];
      return (
        (own > wanted && operator.startsWith('>')) ||
        (own < wanted && operator.startsWith('<')) ||
        (own === wanted && operator.includes('='))
      );
    };
    let pages = 0;
    const api = async (_access: unknown, { json }: CrmBRequest): Promise<CrmBAnswer> => {
      pages += 1;
      const { where, limit } = parseCoql((json as { select_query: string }).select_query);
      const met = rows.filter((row) => isMet(row, where));
      const data = met.slice(0, Math.min(200, limit));
      return { kind: 'answered', status: 200, body: { data, info: { more_records: met.length > data.length } } };
    };
    world.deps.leadsChanged = (access, span, most) => leadsChangedBetween(api, access, span, most);
    expect(await check(world, MINUTE)).toMatchObject({ caught_up: 5_000 });
    await check(world, 15 * MINUTE);
    const ids = world.caughtUp();
    expect([...new Set(ids)].toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    // The second run starts with the second in which the first one stopped. Claims prevent a second call of a lead.
    expect(ids.length).toBeLessThanOrEqual(5_200 + 600);
    expect(pages).toBeLessThan(5_200 / 200 + 10);
    expect(world.row().catch_up_from).toBeUndefined();
  });

  it('are queued although the clock of the CRM is behind, while no channel can be armed', async () => {
    const world = await anArmedConnection(3_600);
    world.loseChannels();
    world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
    await check(world);
    // 30 s behind: the lead changes 10 s after the query.
    world.pass(-20);
    world.edit('behind');
    await check(world, 15 * MINUTE);
    expect(world.caughtUp()).toEqual(['behind']);
  });

  it.each([
    ['before the change to another organization of the CRM, are not queued', 30 * MINUTE, []],
    ['before that change, and more than two days ago, are not given up', 3 * DAY, []],
    ['after that change, are queued', -MINUTE, ['left']],
  ])('if they changed %s', async (_what, age, ids) => {
    const world = await aLeftLead();
    world.change({ organization_since: secondsAfter(world.now, age) });
    world.pass(Math.max(age, 0) + 20 * MINUTE);
    await check(world);
    expect([world.caughtUp(), world.counted]).toEqual([ids, []]);
    expect(world.row().catch_up_from).toBeUndefined();
  });

  it('have a new event if they changed again after a run that died', async () => {
    const world = await aLeftLead();
    const { closeGap } = world.deps.channels;
    world.deps.channels.closeGap = async () => Promise.reject(new Error('died'));
    await check(world, MINUTE).catch(() => undefined);
    world.deps.channels.closeGap = closeGap;
    world.edit('left', MINUTE);
    await check(world, 15 * MINUTE);
    const ids = world.queued.map(({ message }) => message.event_id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
  });

  it('close the breaker of their connection once CRM-B has answered the query for them', async () => {
    const world = await aLeftLead();
    world.change({
      crm_breaker: { failures: 9, lead_id: 'left', opened_at: START, not_before: secondsAfter(START, DAY) },
    });
    await check(world, MINUTE);
    expect(world.row().crm_breaker).toBeUndefined();
  });

  it.each([
    ['is lost', true],
    ['could not deliver one lead', false],
  ])(
    'are not given up if they were delivered before three quiet days after which the channel %s',
    async (_what, isLost) => {
      const world = await anArmedConnection(DAY);
      world.edit('delivered');
      world.pass(MINUTE);
      await renew(world, 3 * DAY);
      if (isLost) world.loseChannels();
      else
        await world.stores.channels.leaveToCatchUp(
          'conn_1',
          undeliveredSince(world.row(), world.deps.now(), world.deps.now()),
          world.now,
        );
      await check(world);
      await check(world, 15 * MINUTE);
      expect([world.caughtUp(), world.counted]).toEqual([[], []]);
    },
  );

  it.each([
    ['a delivered one does not', [], false],
    ['one that changed after the last delivery', ['LeadGivenUp'], false],
    ['one that was left', ['LeadGivenUp'], true],
  ])('count as given up after three days without an answer: %s', async (_what, counted, isLeft) => {
    const world = await anArmedConnection(DAY);
    world.edit('delivered');
    world.pass(10 * MINUTE);
    world.loseChannels();
    if (isLeft) {
      const from = secondsAfter(world.now, -15 * MINUTE);
      await world.stores.channels.leaveToCatchUp('conn_1', from, world.now);
    } else if (counted.length > 0) world.edit('lost');
    world.answers.set('leadsChanged', { kind: 'unavailable', reason: 'down' });
    await check(world);
    await renew(world, 3 * DAY);
    world.answers.clear();
    await check(world);
    await check(world, 15 * MINUTE);
    expect([world.caughtUp(), world.counted.filter((name) => name === 'LeadGivenUp')]).toEqual([[], counted]);
    expect(world.row().catch_up_from).toBeUndefined();
  });

  it.each([
    ['lost', [30], ['old'], []],
    ['silent', [30], ['old'], []],
    ['lost', [70], [], ['LeadGivenUp']],
    ['silent', [70], [], ['LeadGivenUp']],
    ['lost', [], [], []],
  ])(
    'after an outage of 80 hours with a %s channel, changed %j hours before its end: queued %j, counted %j',
    async (how, ages, ids, counted) => {
      const world = await anArmedConnection();
      if (how === 'lost') world.loseChannels();
      else world.silence();
      world.answers.set('list', { kind: 'unavailable', reason: 'down' });
      const hours = 80;
      for (const age of ages) world.edit('old', (hours - age) * 3600);
      world.pass((ages[0] ?? hours) * 3600);
      await check(world);
      world.answers.clear();
      await check(world);
      expect([world.caughtUp(), world.counted]).toEqual([ids, counted]);
      await check(world, 15 * MINUTE);
      expect(world.counted).toEqual(counted);
      expect(world.row().catch_up_from).toBeUndefined();
    },
  );
});
