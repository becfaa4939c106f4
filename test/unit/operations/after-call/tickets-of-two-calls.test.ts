import { aHelpDesk, type HelpDesk, onlyTicket } from '../../support/help-desk.ts';
import type { Fate } from '../../support/remote-writes.ts';

/** Two calls with the same outcome to the same phone. */
function twoCalls(fates: HelpDesk['fates'] = {}) {
  const world = aHelpDesk({ settings: onlyTicket, fates });
  const other = world.addCall();
  return Object.assign(world, {
    other,
    both: () => Promise.all([world.run(), world.run(other)]),
    ticketIds: () =>
      world
        .calls()
        .map(({ ticket }) => ticket?.id)
        .sort(),
  });
}

/** Expects that both tickets name the only contact. */
function expectOneContact({ contacts, tickets, calls }: ReturnType<typeof twoCalls>) {
  expect(contacts).toHaveLength(1);
  expect(tickets.map(({ contact }) => contact)).toEqual([{ contactId: 'contact-0' }, { contactId: 'contact-0' }]);
  expect(calls().map(({ ticket }) => ticket?.state)).toEqual(['written', 'written']);
}

describe('two calls with the same ticket', () => {
  it.each<[string, Fate, number]>([
    ['both were created', 'done, answer lost', 2],
    ['neither was created', 'lost', 0],
  ])('get a ticket each if both answers were lost and %s', async (_name, fate, made) => {
    const world = twoCalls({ ticket: [fate, fate] });
    await world.both();
    await world.untilDone();
    expect(world.requested.filter((item) => item === 'ticket')).toHaveLength(4 - made);
    expect(world.ticketIds()).toEqual(['ticket-0', 'ticket-1']);
    expect([world.tickets.length, world.contacts.length]).toEqual([2, 1]);
  });

  it("get a ticket each if one call finds the ticket of the other before that ticket's answer arrives", async () => {
    const world = twoCalls({ ticket: 'lost' });
    expect(await world.run()).toBe('waiting');
    world.pass(16);
    world.during = { ticket: async () => expect(await world.run()).toBe('waiting_for_refresh') };
    expect(await world.run(world.other)).toBe('waiting');
    await world.untilDone();
    expect(world.ticketIds()).toEqual(['ticket-0', 'ticket-1']);
    expect(world.tickets).toHaveLength(2);
  });

  it.each<[string, number]>([
    ['created first', 0],
    ['created with the ticket', 2],
  ])('share one contact that lookups do not find yet: %s', async (_name, refusals) => {
    const world = twoCalls({ contact: Array(refusals).fill('refused') });
    const push = world.contacts.push.bind(world.contacts);
    world.contacts.push = (...made) => push(...made.map((each) => ({ ...each, isHidden: true })));
    await world.both();
    await world.untilDone();
    expectOneContact(world);
  });

  it('share one contact if the help desk refuses every lookup', async () => {
    const world = twoCalls();
    world.deps.contacts.find = async () => ({ kind: 'refused', code: 'SCOPE_MISMATCH', status: 403 });
    await world.both();
    expect(world.requested).toEqual(['ticket']);
    await world.untilDone();
    expectOneContact(world);
  });
});
