import { remoteRecordsOf, unconfirmedOf } from '../../../../shared/domain/calls/retention/erased-call.ts';
import { aHelpDesk, everything, type HelpDesk, onlyTicket } from '../../support/help-desk.ts';
import type { Fate } from '../../support/remote-writes.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const moved = { departmentId: '8000001', orgId: '60002' };
/** The connection now names another organization of the help desk. */
const move = (world: HelpDesk, settings: object = moved) => world.reconnect({ settings: { ...settings } });
const explained = {
  error: expect.stringMatching(/in the organization 60001 of the help desk; the connection has 60002 now/),
};

describe('a ticket whose connection is moved to another organization', () => {
  it.each<Fate>(['done, answer lost', 'lost'])(
    'is not created in the new organization while its request to the old one has an unknown outcome (%s)',
    async (fate) => {
      const world = aHelpDesk({ fates: { ticket: fate } });
      expect(await world.run()).toBe('waiting');
      expect(world.call()).toMatchObject({ ticket: { state: 'asked' }, ticket_organization: '60001' });
      move(world);
      world.pass(16);
      expect(await world.run()).toBe('done');
      expect(world.call()).toMatchObject({ ticket_work: 'done', ticket: { state: 'unconfirmed', ...explained } });
      expect(world.requested).toEqual(['contact', 'ticket']);
    },
  );

  it.each<Fate>(['429', 'reconnect'])(
    'is created in the new organization, with its contact and department, if it certainly did not exist (%s)',
    async (fate) => {
      const world = aHelpDesk({ settings: onlyTicket, fates: { ticket: fate } });
      expect(await world.run()).toBe('waiting');
      expect(world.call()).toMatchObject({ ticket_contact: { id: 'contact-0' } });
      expect(world.call().ticket).toBeUndefined();
      move(world);
      await world.untilDone();
      expect(world.call()).toMatchObject({ ticket_contact: { id: 'contact-1' }, ticket_organization: '60002' });
      expect(remoteRecordsOf(world.call())).toMatchObject([
        { record: 'ticket_contact', id: 'contact-1', organization: '60002' },
        { record: 'ticket', organization: '60002' },
        { system: 'help-desk', record: 'ticket_contact', id: 'contact-0', organization: '60001' },
      ]);
      expect(world.tickets).toMatchObject([
        { org: '60002', contact: { contactId: 'contact-1' }, fields: { departmentId: '8000001' } },
      ]);
    },
  );

  it('gets a contact in the new organization if the request for its contact has an unknown outcome', async () => {
    const world = aHelpDesk({ settings: onlyTicket, fates: { contact: 'done, answer lost' } });
    expect(await world.run()).toBe('waiting');
    move(world);
    await world.untilDone();
    expect(world.contacts).toMatchObject([{ org: '60001' }, { org: '60002' }]);
    expect(unconfirmedOf(world.call())).toEqual(['ticket_contact']);
    expect(world.tickets).toMatchObject([{ org: '60002', contact: { contactId: 'contact-1' } }]);
  });

  it('does not use the contact that another call has in the old organization', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    expect(await world.run()).toBe('waiting_for_refresh');
    const other = world.addCall();
    move(world);
    await world.untilDone();
    expect(world.callOf(other)).toMatchObject({ ticket: { state: 'written' }, ticket_contact: { id: 'contact-1' } });
  });

  it('is not moved if it was written, and its remaining follow-ups fail with the reason', async () => {
    const world = aHelpDesk({ fates: { attachment: '429', comment: 'done, answer lost' } });
    world.deps.followUps.associateTags = async () => ({ kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' });
    expect(await world.run()).toBe('waiting');
    const { tags: _unwanted, ...wanted } = everything;
    move(world, { ...wanted, ...moved });
    world.pass(16);
    await world.run();
    expect(world.call()).toMatchObject({
      ticket: { state: 'written', id: 'ticket-0' },
      ticket_tags: { state: 'none' },
      ticket_recording: { state: 'failed', ...explained },
      ticket_transcript: { state: 'unconfirmed', ...explained },
    });
    await world.untilDone(1);
    expect(world.call()).toMatchObject({ ticket_work: 'done', ticket_refresh: { state: 'failed', ...explained } });
    expect([world.counts.reads, world.files.length, world.comments.length]).toEqual([0, 0, 1]);
    expect(world.call().metadata).toMatchObject({ ticket_id: 'ticket-0', ticket_status: 'Open' });
  });

  it('is not requested from the new organization by a worker that read the old one', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    const organizations: (string | undefined)[] = [];
    const { accessTo } = world.deps;
    const { create } = world.deps.tickets;
    world.deps.accessTo = (connection) => ({
      ...accessTo(connection),
      get orgId() {
        return world.connection().settings?.orgId as string | undefined;
      },
    });
    world.deps.tickets.create = async (access, ...rest) => {
      move(world);
      organizations.push(access.orgId);
      // The API client does the same without an organization.
      return access.orgId === undefined ? { kind: 'unavailable', reason: 'none' } : create(access, ...rest);
    };
    await world.run();
    expect(organizations).toEqual([undefined]);
    await world.untilDone();
    expect(organizations).toEqual([undefined, '60002']);
    expect(world.call()).toMatchObject({ ticket: { state: 'written' }, ticket_organization: '60002' });
    expect(world.tickets).toMatchObject([{ org: '60002' }]);
  });

  it('is created at most once, wherever workers die before and after the move', async () => {
    const begin = () => aHelpDesk({ settings: onlyTicket });
    let round = 0;
    for await (const [world, cut] of worldThatDies(begin, (each) => each.run())) {
      move(world);
      world.pass(400);
      round += 1;
      await world.dying({ at: 1 + (round % 20), moment: round % 2 ? 'before' : 'after' }, () => world.run());
      world.pass(400);
      await world.untilDone();
      expect([cut, world.call().ticket_work]).toEqual([cut, 'done']);
      expect(world.tickets.length).toBeLessThanOrEqual(1);
      const expected = world.tickets.length === 1 ? /^(written|unconfirmed)$/ : /^unconfirmed$/;
      expect(world.call().ticket?.state).toMatch(expected);
    }
  });
});
