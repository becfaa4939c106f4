import fc from 'fast-check';
import {
  chooseContact,
  decideTicket,
  otherOrganization,
  type TicketDecision,
  type TicketFacts,
} from '../../../../../shared/domain/after-call/tickets/ticket-decision.ts';
import type { RemoteWrite, TicketItem } from '../../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aResult } from '../../../support/call.ts';

const ticketItems: TicketItem[] = [
  'ticket_contact',
  'ticket',
  'ticket_tags',
  'ticket_recording',
  'ticket_transcript',
  'ticket_refresh',
];
const at = '2026-03-02T06:10:00.000Z';
const now = new Date(at);
const refreshDue = new Date(secondsAfter(at, 900));
const fields = { departmentId: '7', subject: 'Leak', description: '', phone: '+919812345678' };
const result = aResult({ lead_intent: 'complaint' });

const mark = (state: RemoteWrite['state']): RemoteWrite => ({ state, at, ...(state === 'written' && { id: '5' }) });

function facts(call: Partial<TicketFacts['call']> = {}, over: Partial<TicketFacts> = {}): TicketFacts {
  return {
    call: { status: 'completed', analysis: { state: 'done', result }, ...call },
    settings: { departmentId: '7' },
    organization: '60001',
    ...over,
  };
}

const decide = (of: TicketFacts, { tried = [] as TicketItem[], at: instant = now } = {}): TicketDecision =>
  decideTicket(of, new Set(tried), instant);

describe('the decision about a ticket', () => {
  it('is no ticket for a call that the run condition excludes', () => {
    expect(decide(facts({ analysis: { state: 'none' } }))).toMatchObject({ kind: 'no_ticket', state: 'none' });
    expect(decide(facts({ status: 'failed' }))).toMatchObject({ kind: 'no_ticket', error: 'the call is failed' });
  });

  it('is a failure with a readable reason if the settings cannot be used', () => {
    const error = 'departmentId is missing';
    expect(decide(facts({}, { settings: { error } }))).toEqual({ kind: 'no_ticket', state: 'failed', error });
  });

  it.each<[string, Partial<TicketFacts['call']>]>([
    ['requested', { ticket: mark('asked') }],
    ['prepared', { ticket_fields: fields }],
  ])('continues with a ticket that was %s, even if settings and analysis have changed since', (_, call) => {
    const changed = { ...call, analysis: { state: 'none' as const } };
    expect(decide(facts(changed, { settings: { error: 'x' } }))).toEqual({ kind: 'write', item: 'ticket_contact' });
  });

  it('starts over if the connection has a new organization before a ticket was requested', () => {
    const call = { ticket_contact: mark('written'), ticket_organization: '60002' };
    expect(decide(facts(call))).toEqual({ kind: 'start_over' });
    expect(decide(facts({ ...call, ticket: mark('asked') }))).toEqual({ kind: 'write', item: 'ticket' });
    expect(decide(facts(call, { organization: undefined }))).toEqual({ kind: 'write', item: 'ticket' });
  });

  it('settles the contact before the ticket', () => {
    expect(decide(facts())).toEqual({ kind: 'write', item: 'ticket_contact' });
    expect(decide(facts(), { tried: ['ticket_contact'] })).toEqual({ kind: 'end_turn' });
    for (const state of ['written', 'failed', 'unconfirmed'] as const)
      expect(decide(facts({ ticket_contact: mark(state) }))).toEqual({ kind: 'write', item: 'ticket' });
  });

  it('has no follow-ups without a ticket', () => {
    for (const state of ['failed', 'unconfirmed', 'none'] as const)
      expect(decide(facts({ ticket_contact: mark('written'), ticket: mark(state) }))).toEqual({ kind: 'end_turn' });
  });

  const written = { ticket_contact: mark('written'), ticket: mark('written') };
  const followUp = (item: TicketItem) => ({ kind: 'follow_up', item, ticket: { id: '5', at } });

  it('handles the follow-ups in order, those with an unknown outcome last, and no follow-up waits for another', () => {
    expect(decide(facts(written))).toEqual(followUp('ticket_tags'));
    expect(decide(facts(written), { tried: ['ticket_tags'] })).toEqual(followUp('ticket_recording'));
    const unknown = { ...written, ticket_tags: mark('asked') };
    expect(decide(facts(unknown))).toEqual(followUp('ticket_recording'));
    const tried: TicketItem[] = ['ticket_recording', 'ticket_transcript'];
    expect(decide(facts(unknown), { tried })).toEqual(followUp('ticket_tags'));
  });

  it('refreshes last, a quarter of an hour after the ticket', () => {
    const tried: TicketItem[] = ['ticket_tags', 'ticket_recording', 'ticket_transcript'];
    expect(decide(facts(written), { tried })).toEqual({ kind: 'refresh_later', dueAt: refreshDue.toISOString() });
    expect(decide(facts(written), { tried, at: refreshDue })).toEqual(followUp('ticket_refresh'));
    const stored = { ...written, ticket_refresh_at: secondsAfter(at, 1000) };
    expect(decide(facts(stored), { tried, at: refreshDue })).toMatchObject({ kind: 'refresh_later' });
  });

  const states = ['asked', 'written', 'none', 'failed', 'unconfirmed'] as const;
  const anyMark = fc.constantFrom(undefined, ...states.map(mark));
  const marks = Object.fromEntries(ticketItems.map((item) => [item, anyMark])) as Record<TicketItem, typeof anyMark>;
  const anyCall = fc.record({
    ...marks,
    status: fc.constantFrom('completed' as const, 'transferred' as const, 'failed' as const),
    ticket_organization: fc.constantFrom('60001', undefined),
  });
  const anyConnection = fc.record({
    organization: fc.constantFrom('60001', '60002', undefined),
    settings: fc.constantFrom({ departmentId: '7' }, { error: 'unreadable' }),
  });
  const anyFacts = fc.tuple(anyCall, anyConnection).map(([call, connection]) => facts(call, connection));
  const anyEnds = fc.infiniteStream(fc.constantFrom('open' as const, 'written' as const, 'failed' as const));

  it('ends each turn, tries no item twice, and never tries a settled item', () => {
    forAll([anyFacts, fc.boolean(), anyEnds], (start, isLate, ends) => {
      let { call } = start;
      const tried = new Set<TicketItem>();
      for (let steps = 0; ; steps += 1) {
        expect(steps).toBeLessThanOrEqual(ticketItems.length + 1);
        const decision = decideTicket({ ...start, call }, tried, isLate ? refreshDue : now);
        if (decision.kind === 'no_ticket' || decision.kind === 'end_turn') break;
        if (decision.kind === 'start_over') {
          expect(call.ticket).toBeUndefined();
          call = { ...call, ticket_contact: undefined, ticket_organization: undefined };
          continue;
        }
        const item = decision.kind === 'refresh_later' ? 'ticket_refresh' : decision.item;
        expect(tried.has(item)).toBe(false);
        expect([undefined, 'asked']).toContain(call[item]?.state);
        if (item === 'ticket') expect([undefined, 'asked']).not.toContain(call.ticket_contact?.state);
        if (decision.kind === 'follow_up')
          expect(call.ticket).toMatchObject({ state: 'written', id: decision.ticket.id });
        tried.add(item);
        const { value } = ends.next();
        if (decision.kind !== 'refresh_later' && value !== 'open') call = { ...call, [item]: mark(value) };
      }
    });
  });
});

describe('the organization of a ticket', () => {
  it('differs only if both are known and not equal', () => {
    const other = (used: string | undefined, organization: string | undefined) =>
      otherOrganization({ call: { ticket_organization: used }, organization });
    expect([other(undefined, '2'), other('1', undefined), other('1', '1')]).toEqual([undefined, undefined, undefined]);
    expect(other('1', '2')).toMatch(/organization 1 of the help desk; the connection has 2 now/);
  });
});

describe('the contact of a ticket', () => {
  const inline = { lastName: 'Rao', phone: '+919812345678' };
  const choose = (over: Partial<Parameters<typeof chooseContact>[0]>) =>
    chooseContact({ mark: mark('failed'), found: undefined, inline, isGivenUp: false, ...over });
  const down = { kind: 'unavailable', reason: 'status 500' } as const;

  it('is the one that its own step stored, otherwise one that was found later', () => {
    const found = { kind: 'found', id: '9' } as const;
    expect(choose({ mark: mark('written'), found })).toEqual({ contactId: '5' });
    expect(choose({ found })).toEqual({ contactId: '9' });
  });

  it('is created with the ticket if none is found', () => {
    for (const found of [undefined, { kind: 'absent' } as const, { kind: 'refused', code: 'X' } as const])
      expect(choose({ found })).toEqual({ contact: inline });
  });

  it('is looked up again while the help desk is unavailable, until its deadline', () => {
    expect(choose({ found: down })).toEqual(down);
    expect(choose({ found: down, isGivenUp: true })).toEqual({ contact: inline });
  });

  it('waits for a new consent, even after its deadline', () => {
    const found = { kind: 'reconnect_needed', reason: 'revoked' } as const;
    expect(choose({ found, isGivenUp: true })).toEqual(found);
  });
});
