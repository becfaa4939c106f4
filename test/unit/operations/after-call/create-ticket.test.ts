import type { Call } from '../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aHelpDesk, type HelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { FINISHED_AT } from '../../support/remote-writes.ts';

const items = ['contact', 'ticket', 'tags', 'recording', 'transcript', 'refresh'] as const;
const statesOf = (call: Call) =>
  Object.fromEntries(
    items.map((item) => [item, call[item === 'ticket' ? item : (`ticket_${item}` as 'ticket_contact')]?.state]),
  );
const allWritten = Object.fromEntries(items.map((item) => [item, 'written']));

describe('create-ticket', () => {
  it('creates contact, ticket and follow-ups, and refreshes the ticket a quarter of an hour later', async () => {
    const world = aHelpDesk();
    expect(await world.run()).toBe('waiting_for_refresh');
    expect(world.contacts).toMatchObject([{ phone: '+919812345678' }]);
    expect(world.tickets).toMatchObject([
      {
        contact: { contactId: 'contact-0' },
        fields: {
          departmentId: '7000001',
          subject: 'complaint — +919812345678',
          description: 'The box leaks.',
          phone: '+919812345678',
          priority: 'High',
        },
      },
    ]);
    expect([world.tags, world.files]).toEqual([['voice'], [`${world.id}.wav`]]);
    expect(world.comments).toEqual([`Transcript of ${world.id}:\nAsha: Namaste.`]);
    expect(world.call().ticket_refresh_at).toBe(secondsAfter(FINISHED_AT, 900));
    expect([...world.schedules.planned]).toMatchObject([
      [`${world.id}-refresh`, { at: Date.parse(secondsAfter(FINISHED_AT, 901)), message: { call_id: world.id } }],
    ]);
    expect(world.call().metadata).toEqual({ ticket_id: 'ticket-0', ticket_status: 'Open', ticket_priority: 'High' });
    expect(world.call().ticket_fields).toBeUndefined();

    Object.assign(world.tickets[0] ?? {}, { status: 'Closed' });
    world.pass(899);
    expect(await world.run()).toBe('not_due');
    world.pass(2);
    expect(await world.run()).toBe('done');
    expect(statesOf(world.call())).toEqual(allWritten);
    expect(world.call()).toMatchObject({
      ticket_work: 'done',
      metadata: { ticket_id: 'ticket-0', ticket_number: '101', ticket_status: 'Closed', ticket_priority: 'Low' },
    });
    expect(await world.run()).toBe('not_due');
    expect(world.counts.reads).toBe(1);
  });

  it('creates only the ticket if the settings require no other record', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    await world.run();
    expect(world.requested).toEqual(['contact', 'ticket']);
    expect(statesOf(world.call())).toMatchObject({ tags: 'none', recording: 'none', transcript: 'none' });
  });

  it.each<[string, Partial<Call>, RegExp]>([
    ['whose run condition does not hold', { analysis: { state: 'none' } }, /no analysis/],
    ['that was not answered', { status: 'no_answer' }, /the call is no_answer/],
    ['that failed', { status: 'failed' }, /the call is failed/],
  ])('creates no ticket and sends no request for a call %s', async (_name, over, reason) => {
    const world = aHelpDesk({ call: over });
    world.token = () => Promise.reject(new Error('requested'));
    expect(await world.run()).toBe('no_ticket');
    expect(world.call()).toMatchObject({
      ticket_work: 'done',
      ticket: { state: 'none', error: expect.stringMatching(reason) },
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['without a department', { orgId: '60001' }, /departmentId/],
    ['that are invalid', { ...onlyTicket, tags: ['a:b'] }, /tags/],
  ])('fails the ticket with a clear reason for settings %s', async (_name, settings, reason) => {
    const world = aHelpDesk({ settings });
    expect(await world.run()).toBe('failed');
    expect(world.call()).toMatchObject({
      ticket_work: 'done',
      ticket: { state: 'failed', error: expect.stringMatching(reason) },
    });
  });

  it('fails the ticket with a clear reason if the connection is gone', async () => {
    const world = aHelpDesk();
    world.reconnect(undefined);
    expect(await world.run()).toBe('failed');
    expect(world.call().ticket).toMatchObject({ state: 'failed', error: 'the help-desk connection is gone' });
  });

  it('creates no follow-ups for a refused ticket', async () => {
    const world = aHelpDesk({ fates: { ticket: 'refused' } });
    expect(await world.run()).toBe('done');
    expect(world.requested).toEqual(['contact', 'ticket']);
    expect(world.call().metadata).toBeUndefined();
  });

  it('waits as long as the help desk demands', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    const { create } = world.deps.tickets;
    world.deps.tickets.create = async () => {
      world.deps.tickets.create = create;
      return { kind: 'unavailable', reason: 'THRESHOLD_EXCEEDED', retryAfterSeconds: 600 };
    };
    await world.run();
    world.pass(599);
    expect(await world.run()).toBe('not_due');
    world.pass(1);
    await world.run();
    expect(world.tickets).toHaveLength(1);
  });

  it('uses the present settings if they change after a request that the help desk did not carry out', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    const { create } = world.deps.tickets;
    world.deps.tickets.create = async () => {
      world.deps.tickets.create = create;
      return { kind: 'unavailable', reason: 'THRESHOLD_EXCEEDED' };
    };
    await world.run();
    world.reconnect({ settings: { ...onlyTicket, departmentId: '7000002', subject_template: 'Call' } });
    world.pass(60);
    await world.run();
    expect(world.tickets).toMatchObject([{ fields: { departmentId: '7000002', subject: 'Call' } }]);
  });

  it('looks up the ticket that it requested, even if settings and analysis have changed', async () => {
    const world = aHelpDesk({ settings: onlyTicket, fates: { ticket: 'done, answer lost' } });
    await world.run();
    world.set({ analysis: { state: 'none' } });
    world.reconnect({ settings: { orgId: '60001' } });
    world.pass(16);
    expect(await world.run()).toBe('waiting_for_refresh');
    expect(world.tickets).toHaveLength(1);
  });

  it('does not look up a requested ticket whose text is unknown', async () => {
    const world = aHelpDesk({ settings: onlyTicket, fates: { ticket: 'done, answer lost' } });
    await world.run();
    world.set({ ticket_fields: undefined });
    world.pass(16);
    await world.run();
    const error = 'the text of the requested ticket is not stored';
    expect(world.call().ticket).toMatchObject({ state: 'unconfirmed', error });
  });

  it('leaves the remaining items to the next turn if its time runs out', async () => {
    const world = aHelpDesk();
    world.during = { ticket: () => world.pass(26) };
    expect(await world.run()).toBe('waiting');
    expect(world.requested).toEqual(['contact', 'ticket']);
    world.pass(16);
    await world.run();
    expect(world.requested).toEqual(['contact', 'ticket', 'tags', 'attachment', 'comment']);
  });
});

describe('the contact of a ticket', () => {
  it('is the existing one of the help desk', async () => {
    const world = aHelpDesk();
    world.contacts.push({ id: 'c-7', phone: '+919812345678' });
    await world.run();
    expect(world.contacts).toHaveLength(1);
    expect(world.tickets).toMatchObject([{ contact: { contactId: 'c-7' } }]);
  });

  const unavailable = { kind: 'unavailable', reason: 'status 500' };
  it.each<[string, Partial<Pick<HelpDesk, 'fates' | 'lookups'>>, string[]]>([
    ['refuses to create it', { fates: { contact: 'refused' } }, ['contact', 'ticket']],
    ['refuses the lookup', { lookups: [{ kind: 'refused', code: 'SCOPE_MISMATCH', status: 403 }] }, ['ticket']],
    ['fails every lookup for two days', { lookups: Array(1_000).fill(unavailable) }, ['ticket']],
  ])('is created with the ticket if the help desk %s', async (_name, given, requested) => {
    const world = Object.assign(aHelpDesk({ settings: onlyTicket }), given);
    await world.untilDone();
    expect(world.requested).toEqual(requested);
    expect([world.contacts.length, world.tickets.length]).toEqual([1, 1]);
    expect(world.call()).toMatchObject({
      ticket_contact: { state: 'written', id: 'contact-0' },
      ticket: { state: 'written' },
    });
  });
});

describe('a follow-up', () => {
  it('never fails the ticket', async () => {
    const world = aHelpDesk({ fates: { tags: 'refused', attachment: 'refused', comment: 'refused' } });
    world.readings.push('gone');
    expect(await world.run()).toBe('waiting_for_refresh');
    await world.untilDone();
    const failed = { tags: 'failed', recording: 'failed', transcript: 'failed', refresh: 'failed' };
    expect(statesOf(world.call())).toEqual({ contact: 'written', ticket: 'written', ...failed });
    const ticket_refresh = { error: 'the ticket is gone' };
    expect(world.call()).toMatchObject({ metadata: { ticket_id: 'ticket-0' }, ticket_refresh });
  });

  it('fails with a reason if the call has nothing to attach', async () => {
    const world = aHelpDesk({
      call: { transcript_key: undefined, recording: { state: 'failed', error: 'too large' } },
    });
    await world.run();
    expect(world.call()).toMatchObject({
      ticket_recording: { state: 'failed', error: 'too large' },
      ticket_transcript: { state: 'failed', error: 'the call has no transcript' },
    });
    const unrecorded = aHelpDesk({ call: { recording: { state: 'none' } } });
    await unrecorded.run();
    expect(unrecorded.call().ticket_recording).toMatchObject({ state: 'failed', error: 'the call has no recording' });
  });

  it('is given up after a day without an effect on the ticket', async () => {
    const world = aHelpDesk();
    world.deps.followUps.associateTags = async () => ({ kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' });
    await world.untilDone(23);
    expect(world.call().ticket_work).toBe('pending');
    await world.untilDone(3);
    expect(world.call()).toMatchObject({
      ticket_work: 'done',
      ticket_tags: { state: 'failed', error: 'TOO_MANY_REQUESTS' },
    });
    expect(statesOf(world.call())).toMatchObject({ ticket: 'written', recording: 'written', refresh: 'written' });
    expect(world.counts.reads).toBe(1);
  });

  it('fails without an effect on the others if its file cannot be read', async () => {
    const world = aHelpDesk();
    world.transcript = () => Promise.reject(new Error('NoSuchKey'));
    world.deps.files.recording = () => Promise.reject(new Error('NoSuchKey'));
    await world.untilDone();
    expect(statesOf(world.call())).toEqual({ ...allWritten, recording: 'failed', transcript: 'failed' });
    expect(world.call()).toMatchObject({
      ticket_recording: { error: 'the recording cannot be read: Error' },
      ticket_transcript: { error: 'the transcript cannot be read: Error' },
    });
  });
});

describe('the refresh of a ticket', () => {
  it('is retried for a quarter of an hour if it fails, and then recorded as failed', async () => {
    const world = aHelpDesk();
    world.readings.push(...Array(50).fill({ kind: 'unavailable', reason: 'status 500' }));
    await world.untilDone(1);
    expect(world.call()).toMatchObject({
      ticket_work: 'done',
      ticket_refresh: { state: 'failed', error: 'status 500' },
    });
    expect(world.counts.reads).toBeGreaterThan(1);
    expect(world.counts.reads).toBeLessThan(15);
    expect(world.call().metadata).toMatchObject({ ticket_status: 'Open' });
  });

  it('is due at its scheduled time, however long the previous turn took', async () => {
    const world = aHelpDesk();
    world.during = { comment: () => world.pass(17.25) };
    expect(await world.run()).toBe('waiting_for_refresh');
    expect(world.call().ticket_after).toBe(world.call().ticket_refresh_at);
    world.now = new Date(world.schedules.planned.get(`${world.id}-refresh`)?.at ?? 0).toISOString();
    expect(await world.run()).toBe('done');
  });

  it('happens once if the schedule, the queue and recover-calls all send its message', async () => {
    const world = aHelpDesk();
    await world.run();
    world.pass(901);
    const outcomes = await Promise.all([world.run(), world.run(), world.run()]);
    expect(outcomes.sort()).toEqual(['done', 'not_due', 'not_due']);
    expect(world.counts.reads).toBe(1);
  });
});
