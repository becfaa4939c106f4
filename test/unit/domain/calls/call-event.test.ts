import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { eventsOfChange } from '../../../../shared/domain/calls/call-event.ts';
import { callStatuses, isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { readJsonAsWritten } from '../../../../shared/domain/text/exact-json.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aCall, aClaimedCall, aResult } from '../../support/call.ts';

const types = (before: Call | undefined, after: Call) => eventsOfChange(before, after).map(({ type }) => type);
const later = '2026-03-02T06:05:00.000Z';
const callback_url = 'https://client.example/hook';
const { call_id, org_id, created_at } = aCall();
const silent = { notify: false, crm_b: false, ticket: false };

/** All texts within JSON, with the names of members. */
const texts = (json: unknown): string[] =>
  typeof json === 'string' ? [json] : Object.entries(json ?? {}).flatMap(([name, value]) => [name, ...texts(value)]);

describe('the events of a change of a call', () => {
  it('include the status of a new call, without a notification of the client', () => {
    expect(eventsOfChange(undefined, aCall({ callback_url }))).toEqual([
      { type: 'call.queued', call_id, org_id, at: created_at, ...silent },
    ]);
  });

  it('include every change of status once, with a snapshot of the call if the client has a callback address', () => {
    const after = aClaimedCall({ status: 'ringing', callback_url, callback_status: 'pending', progress_at: later });
    expect(eventsOfChange(aClaimedCall({ callback_url }), after)).toEqual([
      { type: 'call.ringing', call_id, org_id, at: later, ...silent, notify: true, call: viewCall(after) },
    ]);
    expect(eventsOfChange(aClaimedCall(), aClaimedCall({ status: 'ringing' }))[0]).toMatchObject({ notify: false });
  });

  it('contain no number that another program could refuse or read in another way', () => {
    const numbers = '{"id":9007199254740993,"huge":1e400,"share":0.12345678901234567890,"n":7}';
    const request_metadata = readJsonAsWritten(numbers) as Call['request_metadata'];
    const after = aClaimedCall({ status: 'ringing', callback_url, request_metadata });
    const [event] = eventsOfChange(aClaimedCall({ callback_url, request_metadata }), after);
    expect(JSON.stringify(event?.call?.request_metadata)).toBe(JSON.stringify(JSON.parse(numbers)));
  });

  it('contain no character that a queue refuses, whatever the client has sent', () => {
    const text = fc.string({
      unit: fc.constantFrom('\ud800', '\udc00', '\uffff', '\ufffe', '\\', 'ud800', '"', '\0', 'é'),
    });
    forAll([text, text], (name, value) => {
      const request_metadata = { [`x${name}`]: [{ a: value }] };
      const call = aClaimedCall({ status: 'ringing', callback_url, request_metadata, idempotency_key: value });
      const detail = JSON.stringify(eventsOfChange(aClaimedCall({ callback_url }), call));
      // EventBridge parses the detail and writes it again, without escapes.
      expect(texts(JSON.parse(detail)).join('')).not.toMatch(/[\ufffe\uffff]|\p{Surrogate}/u);
      const [plain] = JSON.parse(detail);
      if (texts([name, value]).every((each) => each.isWellFormed() && !/[\ufffe\uffff]/.test(each)))
        expect(plain.call).toEqual(JSON.parse(JSON.stringify(viewCall(call))));
    });
  });

  it('include every time for which a call is scheduled, because each time needs its own schedule', () => {
    const scheduled = (over: Partial<Call> = {}) =>
      aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for: later, ...over });
    const postponed = scheduled({ scheduled_for: '2026-03-03T03:30:00.000Z', progress_at: later });
    expect(types(undefined, scheduled())).toEqual(['call.scheduled']);
    expect(eventsOfChange(scheduled(), postponed)).toMatchObject([
      { type: 'call.scheduled', at: later, notify: false },
    ]);
    expect(types(postponed, { ...postponed, dial_by: later })).toEqual([]);
    expect(types(aCall(), postponed)).toEqual(['call.scheduled']);
    // After the release the time has no effect.
    expect(types(postponed, { ...postponed, status: 'queued' })).toEqual(['call.queued']);
    expect(types(aCall({ scheduled_for: later }), aCall())).toEqual([]);
    expect(types(scheduled(), scheduled({ status: 'canceled' }))).toEqual(['call.canceled']);
  });

  it.each([
    ['needs to be written to CRM-B', 'crm_b', 'crm_b_sync'],
    ['may become a ticket', 'ticket', 'ticket_work'],
  ] as const)('show whether the call still %s', (_work, member, mark) => {
    const shown = (state: 'pending' | 'done' | undefined) =>
      eventsOfChange(undefined, aCall({ ...(state && { [mark]: state }) })).map((event) => event[member]);
    expect([shown('pending'), shown('done'), shown(undefined)]).toEqual([[true], [false], [false]]);
  });

  it('show whether an end released slots', () => {
    const freed = (before: Call, after: Call) => eventsOfChange(before, after)[0]?.freed_slots;
    const { slots: _, ...ended } = aClaimedCall({ status: 'completed', slots: ['stage'] });
    expect(freed(aClaimedCall({ slots: ['stage'] }), ended)).toBe(true);
    expect(freed(aCall(), aCall({ status: 'canceled' }))).toBeUndefined();
    const { slots: __, ...postponed } = aClaimedCall({ status: 'scheduled' });
    expect(freed(aClaimedCall({ slots: ['stage'] }), postponed)).toBeUndefined();
  });

  it('do not exist for changes of internal fields', () => {
    expect(types(aClaimedCall(), aClaimedCall({ platform_id: 'p', progress_at: later }))).toEqual([]);
    expect(types(aClaimedCall(), aClaimedCall({ hung_up_at: later, ended_reason: 'x' }))).toEqual([]);
    expect(types(aCall(), aCall({ callback_status: 'delivered' }))).toEqual([]);
  });

  it('include slots that were given back, but not slots that ended with their call', () => {
    const waiting = aClaimedCall({ dial_claimed_at: undefined, slots: undefined, progress_at: later });
    expect(eventsOfChange(aClaimedCall(), waiting)).toMatchObject([{ type: 'call.given_back', at: later }]);
    expect(types(aClaimedCall(), aCall({ status: 'failed' }))).toEqual(['call.failed']);
    expect(types(waiting, { ...waiting, attempts: 2 })).toEqual([]);
  });

  it('include the first finish only', () => {
    const ended = aClaimedCall({ status: 'completed' });
    const finished = { ...ended, finished_at: later };
    expect(eventsOfChange(ended, finished)).toMatchObject([{ type: 'call.finished', at: later, notify: false }]);
    expect(types(finished, { ...finished, callback_status: 'delivered' })).toEqual([]);
  });

  it('include the first analysis only, with the call if the client has a callback address', () => {
    const before = aCall({ status: 'completed', analysis: { state: 'pending' } });
    const analyzed = (summary: string, over: Partial<Call> = {}): Call => ({
      ...before,
      ...over,
      analyzed_at: later,
      analysis: { state: 'done', result: aResult({ summary }) },
    });
    const of = { type: 'call.analyzed', at: later };
    expect(eventsOfChange(before, analyzed('One.'))).toMatchObject([{ ...of, notify: false }]);
    expect(eventsOfChange({ ...before, callback_url }, analyzed('One.', { callback_url }))).toMatchObject([
      { ...of, notify: true, call: { analysis: { summary: 'One.' } } },
    ]);
    expect(eventsOfChange(analyzed('One.'), analyzed('Another one.'))).toEqual([]);
  });

  it('do not exist for a call that is new but has ended: its former table has published them', () => {
    const marks = { crm_b_sync: 'pending', ticket_work: 'pending', callback_url } as const;
    for (const over of [{}, { finished_at: later }, { finished_at: later, analyzed_at: later }])
      expect(eventsOfChange(undefined, aCall({ status: 'completed', ...marks, ...over }))).toEqual([]);
  });

  it('match the changes one to one in any life of a call', () => {
    const instant = fc.constantFrom(later, undefined);
    const state = fc.record({
      status: fc.constantFrom(...callStatuses),
      slots: fc.constantFrom<string[] | undefined>(['stage'], undefined),
      analyzed_at: instant,
      finished_at: instant,
      attempts: fc.nat(5),
    });
    forAll([fc.array(state, { minLength: 1, maxLength: 12 }), fc.boolean()], (life, hasCallback) => {
      const calls = life.map((over) => aCall({ ...over, ...(hasCallback && { callback_url }) }));
      const events = calls.flatMap((call, index) => eventsOfChange(calls[index - 1], call));
      const count = (holds: (before: Call | undefined, after: Call) => boolean) =>
        calls.filter((call, index) => (index > 0 || !isTerminal(call.status)) && holds(calls[index - 1], call)).length;
      const reported = (type: string) => events.filter((event) => event.type === type).length;

      for (const status of callStatuses)
        expect(reported(`call.${status}`)).toBe(
          count((before, after) => after.status === status && before?.status !== status),
        );
      expect(reported('call.given_back')).toBe(
        count((before, after) => !!before?.slots && !after.slots && !isTerminal(after.status)),
      );
      expect(reported('call.finished')).toBe(count((before, after) => !!after.finished_at && !before?.finished_at));
      const analyses = count((before, after) => !!after.analyzed_at && !before?.analyzed_at);
      expect(reported('call.analyzed')).toBe(analyses);
      expect(events.filter(({ notify }) => notify)).toHaveLength(
        hasCallback ? analyses + count((before, after) => !!before && before.status !== after.status) : 0,
      );
      for (const { notify, call } of events) expect(call !== undefined).toBe(notify);
    });
  });
});
