import { anAssistant, CREDIT } from '../../support/worlds/items.ts';
import {
  aQueuedLead,
  connectionHas,
  expectBooks,
  HOLD,
  type LeadWorld,
  leadWorld,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** A person gives the connection another assistant, of 300 seconds, and deletes the former one. */
function replace(world: LeadWorld): void {
  world.remove('assistants', { assistant_id: 'asst_1' });
  world.put('assistants', anAssistant({ assistant_id: 'asst_2', name: 'Ravi', max_duration_seconds: 300 }));
  connectionHas({ assistant_id: 'asst_2' })(world);
}

describe("a lead's call whose assistant is deleted while it waits", () => {
  it("is conducted by its connection's present assistant, on that assistant's terms", async () => {
    const world = await aQueuedLead();
    replace(world);
    expect([await world.dial(), await world.dial()]).toEqual(['assistant_replaced', 'accepted']);
    const conducted = { assistant_id: 'asst_2', assistant_name: 'Ravi', max_duration_seconds: 300, held: HOLD / 2 };
    expect(world.call()).toMatchObject(conducted);
    expect(world.rung).toHaveLength(1);
    expectBooks(world);
  });

  it('returns the hold of its former terms, if it was dialed before and rang no phone', async () => {
    const world = await aQueuedLead();
    world.dialing = { kind: 'not_dialed', reason: 'busy', isOperatorFault: false };
    await world.dial();
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    world.pass(60);
    replace(world);
    expect(world.credit().held).toBe(HOLD);
    expect([await world.dial(), world.credit().held]).toEqual(['assistant_replaced', 0]);
    expect([await world.dial(), world.credit().held]).toEqual(['accepted', HOLD / 2]);
    expectBooks(world);
  });

  it.each<[string, (world: LeadWorld) => unknown]>([
    ['has none', connectionHas({ assistant_id: undefined })],
    ['still names it', connectionHas({ assistant_id: 'asst_0' })],
    ['names one of another organization', (world) => world.put('assistants', anAssistant({ org_id: 'org2' }))],
  ])('ends as assistant_missing if the connection %s', async (_what, change) => {
    const world = await aQueuedLead();
    replace(world);
    world.remove('assistants', { assistant_id: 'asst_2' });
    connectionHas({ assistant_id: 'asst_1' })(world);
    change(world);
    world.putCall({ ...world.call(), assistant_id: 'asst_0' });
    expect(await world.dial()).toBe('assistant_missing');
    expect([world.call().status, world.credit()]).toEqual(['failed', { available: CREDIT, held: 0 }]);
  });

  it('rings once, wherever a worker dies', async () => {
    const begin = async () => {
      const world = leadWorld();
      await world.process(world.event());
      replace(world);
      return world;
    };
    for await (const [world] of worldThatDies(begin, (each) => each.dial())) {
      for (let tries = 0; tries < 2; tries += 1) await world.dial();
      expect(world.rung).toHaveLength(1);
      expectBooks(world);
    }
  });
});
