import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { AccessUnavailable, ReconnectNeeded } from '../../../../shared/domain/connections/access-errors.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import {
  aFinishedCall,
  aTicketWorld,
  type Fate,
  finished_at,
  onlyTicket,
  type What,
} from '../../support/ticket-world.ts';

const HOUR = 3_600;

const statesOf = (call: Call) =>
  Object.fromEntries(
    (
      ['ticket_contact', 'ticket', 'ticket_tags', 'ticket_recording', 'ticket_transcript', 'ticket_refresh'] as const
    ).map((item) => [item.replace(/^ticket_/, ''), call[item]?.state]),
  );

const allWritten = {
  contact: 'written',
  ticket: 'written',
  tags: 'written',
  recording: 'written',
  transcript: 'written',
  refresh: 'written',
};

describe('create-ticket', () => {
  it('makes a contact, a ticket and what follows, and looks a quarter of an hour later what became of it', async () => {
    const { world, run, pass, call, id } = aTicketWorld();
    expect(await run()).toBe('waiting_for_refresh');
    expect(world.contacts).toMatchObject([{ phone: '+919812345678' }]);
    expect(world.tickets).toMatchObject([
      {
        whom: { contactId: 'contact-0' },
        fields: {
          departmentId: '7000001',
          subject: 'complaint — +919812345678',
          description: 'The box leaks.',
          phone: '+919812345678',
          priority: 'High',
        },
      },
    ]);
    expect([world.tags, world.files]).toEqual([['voice'], [`${id}.wav`]]);
    expect(world.comments).toEqual([`Transcript of ${id}:\nAsha: Namaste.`]);
    expect(call().ticket_refresh_at).toBe(secondsAfter(finished_at, 900));
    expect([...world.schedules]).toEqual([
      [`${id}-refresh`, { at: Date.parse(secondsAfter(finished_at, 901)), callId: id }],
    ]);
    expect(call().metadata).toEqual({ ticket_id: 'ticket-0', ticket_status: 'Open', ticket_priority: 'High' });
    expect(call().ticket_fields).toBeUndefined();

    Object.assign(world.tickets[0] ?? {}, { status: 'Closed' });
    pass(899);
    expect(await run()).toBe('not_due');
    pass(2);
    expect(await run()).toBe('done');
    expect(statesOf(call())).toEqual(allWritten);
    expect(call().ticket_work).toBe('done');
    expect(call().metadata).toEqual({
      ticket_id: 'ticket-0',
      ticket_number: '101',
      ticket_status: 'Closed',
      ticket_priority: 'Low',
    });
    expect(await run()).toBe('not_due');
    expect(world.reads).toBe(1);
  });

  it('takes the contact that is there', async () => {
    const { world, run } = aTicketWorld();
    world.contacts.push({ id: 'c-7', phone: '+919812345678' });
    await run();
    expect(world.contacts).toHaveLength(1);
    expect(world.tickets).toMatchObject([{ whom: { contactId: 'c-7' } }]);
  });

  it('asks for nothing else than the ticket where nothing else is set', async () => {
    const { world, run, call } = aTicketWorld({}, onlyTicket);
    await run();
    expect(world.asked).toEqual(['contact', 'ticket']);
    expect(statesOf(call())).toMatchObject({ tags: 'none', recording: 'none', transcript: 'none' });
  });

  it.each<[string, Partial<Call>, RegExp]>([
    ['whose run condition does not hold', { analysis: { state: 'none' } }, /no analysis/],
    ['that nobody answered', { status: 'no_answer' }, /the call is no_answer/],
    ['that failed', { status: 'failed' }, /the call is failed/],
  ])('makes no ticket for a call %s, and asks the help desk nothing', async (_, over, reason) => {
    const { world, run, call } = aTicketWorld(over);
    world.token = () => Promise.reject(new Error('asked'));
    expect(await run()).toBe('no_ticket');
    expect(call()).toMatchObject({
      ticket_work: 'done',
      ticket: { state: 'none', error: expect.stringMatching(reason) },
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['without a department', { orgId: '60001' }, /departmentId/],
    ['that are bad', { ...onlyTicket, tags: ['a:b'] }, /tags/],
  ])('fails softly and clearly for settings %s', async (_, settings, reason) => {
    const { run, call } = aTicketWorld({}, settings);
    expect(await run()).toBe('failed');
    expect(call()).toMatchObject({
      ticket_work: 'done',
      ticket: { state: 'failed', error: expect.stringMatching(reason) },
    });
  });

  it.each<[string, Partial<Call>]>([
    ['has no help desk', { ticket_work: undefined }],
    ['is done', { ticket_work: 'done' }],
    ['is not finished', { finished_at: undefined }],
    ['has its next try later', { ticket_after: secondsAfter(finished_at, 1) }],
  ])('leaves a call alone that %s', async (_, over) => {
    const { world, run } = aTicketWorld(over);
    expect(await run()).toBe('not_due');
    expect(world.asked).toEqual([]);
  });

  it('puts the contact into the ticket where the help desk refuses to make one', async () => {
    const { world, run, call } = aTicketWorld({}, onlyTicket);
    world.fates = [['contact', 'refused']];
    await run();
    expect(world.contacts).toHaveLength(1);
    expect(world.tickets).toHaveLength(1);
    expect(call()).toMatchObject({
      ticket_contact: { state: 'written', id: 'contact-0' },
      ticket: { state: 'written' },
    });
    expect(world.warned).toEqual(['the help desk refuses an item of a call: ticket_contact, INVALID_DATA']);
  });

  it('puts the contact into the ticket where the help desk refuses the search', async () => {
    const { world, run, call } = aTicketWorld({}, onlyTicket);
    world.looks = [{ kind: 'refused', code: 'SCOPE_MISMATCH', status: 403 }];
    await run();
    expect(world.asked).toEqual(['ticket']);
    expect(statesOf(call())).toMatchObject({ contact: 'written', ticket: 'written' });
  });

  it('is done with a ticket that is refused, and says how', async () => {
    const { world, run, call } = aTicketWorld();
    world.fates = [['ticket', 'refused']];
    expect(await run()).toBe('done');
    expect(call()).toMatchObject({ ticket_work: 'done', ticket: { state: 'failed', error: 'INVALID_DATA' } });
    expect(world.asked).toEqual(['contact', 'ticket']);
    expect(call().metadata).toBeUndefined();
  });

  it('never fails the ticket for what follows', async () => {
    const { world, run, untilDone, call } = aTicketWorld();
    world.fates = [
      ['tags', 'refused'],
      ['attachment', 'refused'],
      ['comment', 'refused'],
    ];
    world.reading = ['gone'];
    expect(await run()).toBe('waiting_for_refresh');
    await untilDone();
    expect(statesOf(call())).toEqual({
      contact: 'written',
      ticket: 'written',
      tags: 'failed',
      recording: 'failed',
      transcript: 'failed',
      refresh: 'failed',
    });
    expect(call().metadata).toMatchObject({ ticket_id: 'ticket-0' });
  });

  it('says so where there is nothing to attach', async () => {
    const { run, call } = aTicketWorld({
      transcript_key: undefined,
      recording: { state: 'failed', error: 'too large' },
    });
    await run();
    expect(call()).toMatchObject({
      ticket_recording: { state: 'failed', error: 'too large' },
      ticket_transcript: { state: 'failed', error: 'the call has no transcript' },
    });
  });

  it('tries again what was certainly not done', async () => {
    const { world, run, pass, call } = aTicketWorld({}, onlyTicket);
    world.fates = [['ticket', '429']];
    expect(await run()).toBe('waiting');
    expect(call()).toMatchObject({ ticket: undefined, ticket_error: 'TOO_MANY_REQUESTS' });
    pass(16);
    expect(await run()).toBe('waiting_for_refresh');
    expect(world.tickets).toHaveLength(1);
  });

  it('leaves the help desk alone for as long as it wants', async () => {
    const { world, deps, run, pass } = aTicketWorld({}, onlyTicket);
    const create = deps.tickets.create;
    deps.tickets.create = async () => {
      deps.tickets.create = create;
      return { kind: 'unavailable', reason: 'THRESHOLD_EXCEEDED', retryAfterSeconds: 600 };
    };
    await run();
    pass(599);
    expect(await run()).toBe('not_due');
    pass(1);
    await run();
    expect(world.tickets).toHaveLength(1);
  });

  it('finds the ticket whose answer was lost, and makes no second one', async () => {
    const { world, run, pass, call } = aTicketWorld({}, onlyTicket);
    world.fates = [['ticket', 'done, answer lost']];
    expect(await run()).toBe('waiting');
    pass(16);
    expect(await run()).toBe('waiting_for_refresh');
    expect(world.tickets).toHaveLength(1);
    expect(call().ticket).toMatchObject({ state: 'written', id: 'ticket-0' });
  });

  it('makes a ticket again only after two complete looks a minute apart found nothing', async () => {
    const { world, run, pass } = aTicketWorld({}, onlyTicket);
    world.fates = [['ticket', 'lost']];
    await run();
    pass(16);
    expect(await run()).toBe('waiting');
    pass(59.5);
    expect(await run()).toBe('not_due');
    expect(world.asked).toEqual(['contact', 'ticket']);
    pass(0.5);
    expect(await run()).toBe('waiting_for_refresh');
    expect(world.tickets).toHaveLength(1);
  });

  it('looks for what it asked for, whatever settings and analysis have become', async () => {
    const { world, run, pass, set, id } = aTicketWorld({}, onlyTicket);
    world.fates = [['ticket', 'done, answer lost']];
    await run();
    set(id, { analysis: { state: 'none' } });
    Object.assign(world.connection ?? {}, { settings: { orgId: '60001' } });
    pass(16);
    expect(await run()).toBe('waiting_for_refresh');
    expect(world.tickets).toHaveLength(1);
  });

  describe('where the connection comes to name another organization of the help desk', () => {
    const moved = { departmentId: '8000001', orgId: '60002' };
    const move = (world: ReturnType<typeof aTicketWorld>['world'], settings: object = moved) =>
      Object.assign(world.connection ?? {}, { settings });
    const clear = /for the organization 60001 of the help desk; the connection has 60002 now/;

    it.each<Fate>(['done, answer lost', 'lost'])(
      'asks there for no second ticket whose request is not settled (%s), and says so',
      async (fate) => {
        const { world, run, pass, call } = aTicketWorld();
        world.fates = [['ticket', fate]];
        expect(await run()).toBe('waiting');
        expect(call()).toMatchObject({ ticket: { state: 'asked' }, ticket_organization: '60001' });
        move(world);
        pass(16);
        expect(await run()).toBe('done');
        expect(call()).toMatchObject({
          ticket_work: 'done',
          ticket: { state: 'unconfirmed', error: expect.stringMatching(clear) },
        });
        expect(world.asked).toEqual(['contact', 'ticket']);
      },
    );

    it.each<Fate>(['429', 'reconnect'])(
      'makes the ticket there that was certainly not made (%s), with a contact and a department of there',
      async (fate) => {
        const { world, run, untilDone, call } = aTicketWorld({}, onlyTicket);
        world.fates = [['ticket', fate]];
        expect(await run()).toBe('waiting');
        expect(call()).toMatchObject({ ticket_contact: { id: 'contact-0' }, ticket: undefined });
        move(world);
        await untilDone();
        expect(call()).toMatchObject({ ticket_contact: { id: 'contact-1' }, ticket_organization: '60002' });
        expect(world.tickets).toMatchObject([
          { org: '60002', whom: { contactId: 'contact-1' }, fields: { departmentId: '8000001' } },
        ]);
      },
    );

    it('makes the contact there whose request is not settled', async () => {
      const { world, run, untilDone } = aTicketWorld({}, onlyTicket);
      world.fates = [['contact', 'done, answer lost']];
      expect(await run()).toBe('waiting');
      move(world);
      await untilDone();
      expect(world.contacts).toMatchObject([{ org: '60001' }, { org: '60002' }]);
      expect(world.tickets).toMatchObject([{ org: '60002', whom: { contactId: 'contact-1' } }]);
    });

    it('takes no contact that another call has in the other one', async () => {
      const { world, run, untilDone, id } = aTicketWorld({}, onlyTicket);
      const other = `${id.slice(0, -1)}0`;
      expect(await run(id)).toBe('waiting_for_refresh');
      world.calls.set(other, aFinishedCall({ call_id: other }));
      move(world);
      await untilDone();
      expect(world.calls.get(other)).toMatchObject({
        ticket: { state: 'written' },
        ticket_contact: { id: 'contact-1' },
      });
    });

    it('fails softly what follows upon the ticket, and leaves alone what is not wanted', async () => {
      const { world, deps, run, pass, untilDone, call } = aTicketWorld();
      world.fates = [
        ['attachment', '429'],
        ['comment', 'done, answer lost'],
      ];
      deps.followUps.associateTags = async () => ({ kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' });
      expect(await run()).toBe('waiting');
      move(world, { ...moved, attach_call_recording: true, attach_full_transcript: true });
      pass(16);
      await run();
      const told = { error: expect.stringMatching(clear) };
      expect(call()).toMatchObject({
        ticket: { state: 'written', id: 'ticket-0' },
        ticket_tags: { state: 'none' },
        ticket_recording: { state: 'failed', ...told },
        ticket_transcript: { state: 'unconfirmed', ...told },
      });
      await untilDone(1);
      expect(call()).toMatchObject({ ticket_work: 'done', ticket_refresh: { state: 'failed', ...told } });
      expect([world.reads, world.files.length, world.comments.length]).toEqual([0, 0, 1]);
      expect(call().metadata).toMatchObject({ ticket_id: 'ticket-0', ticket_status: 'Open' });
    });

    it('asks nothing of another one that the connection names only after it was read', async () => {
      const { world, deps, run, untilDone, call } = aTicketWorld({}, onlyTicket);
      const asked: (string | undefined)[] = [];
      const { accessTo } = deps;
      const { create } = deps.tickets;
      deps.accessTo = (connection) => ({
        ...accessTo(connection),
        get orgId() {
          return world.connection?.settings?.orgId as string | undefined;
        },
      });
      deps.tickets.create = async (access, ...rest) => {
        move(world);
        asked.push(access.orgId);
        // As the API's client does without an organization.
        return access.orgId === undefined ? { kind: 'unavailable', reason: 'none' } : create(access, ...rest);
      };
      await run();
      expect(asked).toEqual([undefined]);
      await untilDone();
      expect(asked).toEqual([undefined, '60002']);
      expect(call()).toMatchObject({ ticket: { state: 'written' }, ticket_organization: '60002' });
      expect(world.tickets).toMatchObject([{ org: '60002' }]);
    });

    it('has one ticket at most, wherever the worker dies', async () => {
      for (let diesAt = 1; diesAt <= 60; diesAt += 1) {
        const { world, run, untilDone, pass, call } = aTicketWorld({}, onlyTicket);
        world.diesAt = diesAt;
        await run();
        move(world);
        pass(400);
        // Also within the turn that finds the move.
        world.diesAt = world.steps + 1 + (diesAt % 20);
        await run();
        pass(400);
        await untilDone();
        expect([diesAt, call().ticket_work]).toEqual([diesAt, 'done']);
        expect(world.tickets.length).toBeLessThanOrEqual(1);
        expect(call().ticket?.state).toMatch(world.tickets.length === 1 ? /^(written|unconfirmed)$/ : /^unconfirmed$/);
      }
    });
  });

  it('counts no look that did not come to its end', async () => {
    const { world, run, pass, untilDone } = aTicketWorld({}, onlyTicket);
    world.fates = [['ticket', 'lost']];
    await run();
    world.looks = Array(3).fill({ kind: 'unavailable', reason: 'status 500' });
    for (let count = 0; count < 3; count += 1) {
      pass(HOUR);
      await run();
    }
    expect(world.tickets).toEqual([]);
    await untilDone();
    expect(world.tickets).toHaveLength(1);
  });

  it.each<[string, Fate, number]>([
    ['both were made', 'done, answer lost', 2],
    ['neither was', 'lost', 0],
  ])(
    'gives each of two calls that say the same a ticket of its own where both answers were lost and %s',
    async (_, fate, made) => {
      const { world, run, untilDone, id } = aTicketWorld({}, onlyTicket);
      const other = `${id.slice(0, -1)}0`;
      world.calls.set(other, aFinishedCall({ call_id: other }));
      world.fates = [
        ['ticket', fate],
        ['ticket', fate],
      ];
      await Promise.all([run(id), run(other)]);
      await untilDone();
      expect(world.asked.filter((what) => what === 'ticket')).toHaveLength(4 - made);
      expect(world.tickets).toHaveLength(2);
      expect([...world.calls.values()].map(({ ticket }) => ticket?.id).sort()).toEqual(['ticket-0', 'ticket-1']);
      expect(world.contacts).toHaveLength(1);
    },
  );

  it('gives each of two calls a ticket of its own where one took the other’s before its answer came', async () => {
    const { world, deps, run, untilDone, pass, id } = aTicketWorld({}, onlyTicket);
    const other = `${id.slice(0, -1)}0`;
    world.calls.set(other, aFinishedCall({ call_id: other }));
    world.fates = [['ticket', 'lost']];
    expect(await run(id)).toBe('waiting');
    pass(16);
    const create = deps.tickets.create;
    deps.tickets.create = async (...args) => {
      deps.tickets.create = create;
      const outcome = await create(...args);
      expect(await run(id)).toBe('waiting_for_refresh');
      return outcome;
    };
    expect(await run(other)).toBe('waiting');
    await untilDone();
    expect(world.tickets).toHaveLength(2);
    expect(new Set([...world.calls.values()].map(({ ticket }) => ticket?.id)).size).toBe(2);
  });

  it.each<[string, What[]]>([
    ['made first', []],
    ['put into the ticket', ['contact', 'contact']],
  ])(
    'makes one contact for two calls to one phone, although the search does not show it yet: %s',
    async (_, refused) => {
      const { world, run, untilDone, id } = aTicketWorld({}, onlyTicket);
      const other = `${id.slice(0, -1)}0`;
      world.calls.set(other, aFinishedCall({ call_id: other }));
      world.fates = refused.map((what) => [what, 'refused']);
      const push = world.contacts.push.bind(world.contacts);
      world.contacts.push = (...made) => push(...made.map((each) => ({ ...each, isHidden: true })));
      await Promise.all([run(id), run(other)]);
      await untilDone();
      expect(world.contacts).toHaveLength(1);
      expect(world.tickets.map(({ whom }) => whom)).toEqual([{ contactId: 'contact-0' }, { contactId: 'contact-0' }]);
      expect([...world.calls.values()].map(({ ticket }) => ticket?.state)).toEqual(['written', 'written']);
    },
  );

  it('makes one contact for two calls to one phone, although the help desk refuses every search', async () => {
    const { world, deps, run, untilDone, id } = aTicketWorld({}, onlyTicket);
    const other = `${id.slice(0, -1)}0`;
    world.calls.set(other, aFinishedCall({ call_id: other }));
    deps.contacts.find = async () => ({ kind: 'refused', code: 'SCOPE_MISMATCH', status: 403 });
    await Promise.all([run(id), run(other)]);
    expect(world.asked).toEqual(['ticket']);
    await untilDone();
    expect(world.contacts).toHaveLength(1);
    expect(world.tickets.map(({ whom }) => whom)).toEqual([{ contactId: 'contact-0' }, { contactId: 'contact-0' }]);
  });

  it('asks for nothing without an access token, and waits for a person an hour at a time', async () => {
    const { world, run, call } = aTicketWorld();
    world.token = () => Promise.reject(new ReconnectNeeded('the grant was revoked'));
    expect(await run()).toBe('waiting');
    expect(statesOf(call())).toMatchObject({ contact: undefined, ticket: undefined });
    expect(call()).toMatchObject({
      ticket_error: 'the grant was revoked',
      ticket_after: secondsAfter(finished_at, HOUR),
    });
    // recover-calls does that: a queue holds no message for so long.
    expect(world.queue).toEqual([]);
  });

  it('makes what waited once somebody connects again', async () => {
    const { world, untilDone, call } = aTicketWorld();
    const granted = world.connection;
    world.connection = { ...granted, grant: undefined } as Connection;
    await untilDone(20);
    expect(call()).toMatchObject({ ticket_work: 'pending', ticket_error: 'the help desk is not connected' });
    world.connection = granted;
    await untilDone(3);
    expect(statesOf(call())).toEqual(allWritten);
  });

  it.each<[string, (world: ReturnType<typeof aTicketWorld>['world']) => void, object]>([
    [
      'a grant that nobody renews',
      (world) => {
        world.token = () => Promise.reject(new ReconnectNeeded('revoked'));
      },
      { state: 'failed', error: 'revoked' },
    ],
    [
      'a token that never comes',
      (world) => {
        world.token = () => Promise.reject(new AccessUnavailable('throttled'));
      },
      { state: 'failed', error: 'throttled' },
    ],
    [
      'a look-up that never answers',
      (world) => {
        world.contacts.push({ id: 'c-7', phone: '+919812345678' });
        world.fates = [['ticket', 'lost']];
        // The first look is for the contact.
        let looks = 0;
        world.looks.shift = () => {
          looks += 1;
          return looks === 1 ? undefined : { kind: 'unavailable', reason: 'status 500' };
        };
      },
      { state: 'unconfirmed', error: 'status 500' },
    ],
  ])('gives up %s after three days, and the call is done all the same', async (_, spoil, mark) => {
    const { world, untilDone, call } = aTicketWorld();
    spoil(world);
    await untilDone(71);
    expect(call().ticket_work).toBe('pending');
    await untilDone(3);
    expect(call()).toMatchObject({ ticket_work: 'done', ticket: mark });
    expect(world.tickets).toEqual([]);
  });

  it('puts a contact that could not be looked up for two days into the ticket', async () => {
    const { world, deps, untilDone, call } = aTicketWorld({}, onlyTicket);
    deps.contacts.find = async () => ({ kind: 'unavailable', reason: 'status 500' });
    await untilDone();
    expect(statesOf(call())).toMatchObject({ contact: 'written', ticket: 'written' });
    expect(world.tickets).toHaveLength(1);
  });

  it('finds what followed although its answer was lost, and does it no second time', async () => {
    const { world, untilDone, call } = aTicketWorld();
    world.fates = [
      ['attachment', 'done, answer lost'],
      ['comment', 'done, answer lost'],
    ];
    await untilDone();
    expect([world.files.length, world.comments.length]).toEqual([1, 1]);
    expect(statesOf(call())).toEqual(allWritten);
  });

  it('sets tags again whose answer was lost: once more changes nothing', async () => {
    const { world, run, pass } = aTicketWorld();
    world.fates = [['tags', 'lost']];
    await run();
    pass(16);
    await run();
    expect(world.tags).toEqual(['voice']);
  });

  it('gives up what follows after a day, and the ticket stays', async () => {
    const { world, deps, untilDone, call } = aTicketWorld();
    deps.followUps.associateTags = async () => ({ kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' });
    await untilDone(23);
    expect(call().ticket_work).toBe('pending');
    await untilDone(3);
    expect(call()).toMatchObject({ ticket_work: 'done', ticket_tags: { state: 'failed', error: 'TOO_MANY_REQUESTS' } });
    expect(statesOf(call())).toMatchObject({ ticket: 'written', recording: 'written', refresh: 'written' });
    expect(world.reads).toBe(1);
  });

  it('repeats a refresh that fails for a quarter of an hour, and then records that it failed', async () => {
    const { world, untilDone, call } = aTicketWorld();
    world.reading = Array(50).fill({ kind: 'unavailable', reason: 'status 500' });
    await untilDone(1);
    expect(call()).toMatchObject({ ticket_work: 'done', ticket_refresh: { state: 'failed', error: 'status 500' } });
    expect(world.reads).toBeGreaterThan(1);
    expect(world.reads).toBeLessThan(15);
    expect(call().metadata).toMatchObject({ ticket_status: 'Open' });
  });

  it('is not early for its refresh when the schedule comes, however long the turn took', async () => {
    const { world, deps, run, call, id } = aTicketWorld();
    const comment = deps.followUps.comment;
    deps.followUps.comment = (...args) => {
      world.now += 17_250;
      return comment(...args);
    };
    expect(await run()).toBe('waiting_for_refresh');
    expect(call().ticket_after).toBe(call().ticket_refresh_at);
    world.now = world.schedules.get(`${id}-refresh`)?.at ?? 0;
    expect(await run()).toBe('done');
  });

  it('refreshes once where schedule, queue and recover-calls all come', async () => {
    const { world, run, pass } = aTicketWorld();
    await run();
    pass(901);
    const ends = await Promise.all([run(), run(), run()]);
    expect(ends.sort()).toEqual(['done', 'not_due', 'not_due']);
    expect(world.reads).toBe(1);
  });

  it('waits with what does not need the transcript for nothing of it', async () => {
    const { world, untilDone, call } = aTicketWorld();
    world.transcript = () => Promise.reject(new Error('NoSuchKey'));
    await untilDone();
    expect(statesOf(call())).toEqual({ ...allWritten, transcript: 'failed' });
  });

  it('begins nothing that its time does not allow', async () => {
    const { world, deps, run, pass } = aTicketWorld();
    const create = deps.tickets.create;
    deps.tickets.create = (...args) => {
      world.now += 26_000;
      return create(...args);
    };
    expect(await run()).toBe('waiting');
    expect(world.asked).toEqual(['contact', 'ticket']);
    pass(16);
    await run();
    expect(world.asked).toEqual(['contact', 'ticket', 'tags', 'attachment', 'comment']);
  });

  it('leaves the asking to one of two workers that have the same message', async () => {
    const { world, run } = aTicketWorld();
    const ends = await Promise.all([run(), run(), run()]);
    expect(ends.sort()).toEqual(['not_due', 'not_due', 'waiting_for_refresh']);
    expect(world.asked).toEqual(['contact', 'ticket', 'tags', 'attachment', 'comment']);
  });

  it('asks no second time although a turn was taken from a worker that is still alive', async () => {
    const { world, deps, run, untilDone } = aTicketWorld();
    const create = deps.tickets.create;
    deps.tickets.create = async (...args) => {
      deps.tickets.create = create;
      const outcome = await create(...args);
      world.now += 100_000;
      expect(await run()).toBe('waiting_for_refresh');
      return outcome;
    };
    await run();
    await untilDone();
    expect(world.tickets).toHaveLength(1);
    expect(world.asked).toEqual(['contact', 'ticket', 'tags', 'attachment', 'comment']);
  });
});

describe('wherever the worker dies', () => {
  const fates: [What, Fate][][] = [
    [],
    [
      ['contact', 'lost'],
      ['ticket', 'lost'],
    ],
    [
      ['contact', 'done, answer lost'],
      ['ticket', 'done, answer lost'],
    ],
    [
      ['ticket', '429'],
      ['tags', 'lost'],
    ],
    [
      ['contact', 'refused'],
      ['ticket', 'done, answer lost'],
    ],
    [
      ['contact', 'refused'],
      ['ticket', 'lost'],
    ],
    [
      ['attachment', 'done, answer lost'],
      ['comment', 'lost'],
    ],
  ];
  /** Some more than any run has. */
  const MOST_STEPS = 90;
  const onceEach = { contacts: 1, tickets: 1, files: 1, comments: 1, tags: ['voice'], work: 'done' };
  const counted = ({ world, call }: Pick<ReturnType<typeof aTicketWorld>, 'world' | 'call'>) => ({
    contacts: world.contacts.length,
    tickets: world.tickets.length,
    files: world.files.length,
    comments: world.comments.length,
    tags: world.tags,
    work: call().ticket_work,
  });

  it.each(fates.map((each) => [each.map((one) => one.join(': ')).join(', ') || 'every answer comes', each] as const))(
    'with a duplicate delivery, one contact, one ticket and what follows once: %s',
    async (_, given) => {
      for (let diesAt = 1; diesAt <= MOST_STEPS; diesAt += 1) {
        const { world, run, untilDone, pass, call } = aTicketWorld();
        world.fates = [...given];
        world.diesAt = diesAt;
        await run();
        await run();
        pass(30);
        await untilDone();
        expect({ diesAt, ...counted({ world, call }) }).toEqual({ diesAt, ...onceEach });
        expect(statesOf(call())).toEqual({ ...allWritten, contact: expect.stringMatching(/written|failed/) });
      }
    },
  );

  it('with a duplicate delivery, a call without a ticket is done', async () => {
    for (let diesAt = 1; diesAt <= 16; diesAt += 1) {
      const { world, run, untilDone, pass, call } = aTicketWorld({ analysis: { state: 'none' } });
      world.diesAt = diesAt;
      await run();
      await run();
      pass(30);
      await untilDone();
      expect([diesAt, call().ticket_work, call().ticket?.state]).toEqual([diesAt, 'done', 'none']);
      expect(world.asked).toEqual([]);
    }
  });

  it('twice, too', async () => {
    for (let first = 2; first <= 70; first += 4)
      for (let second = 1; second <= 70; second += 3) {
        const { world, run, untilDone, pass, call } = aTicketWorld();
        world.diesAt = first;
        await run();
        pass(400);
        world.diesAt = world.steps + second;
        await run();
        pass(400);
        await untilDone();
        expect({ first, second, ...counted({ world, call }) }).toEqual({ first, second, ...onceEach });
      }
  });
});
