import {
  type Call,
  callSchema,
  holdsCredit,
  isWaiting,
  leadFitsAt,
  leadReadAt,
  leadStopOf,
  mustNotRing,
} from '../../../../shared/domain/calls/call.ts';
import { aCall, aCalledLead, aClaimedCall, aResult } from '../../support/call.ts';

const AT = '2026-03-02T06:05:00.000Z';
const lead = aCalledLead();
const write = { state: 'unconfirmed', at: AT, id: 'r-1', absent_since: AT, error: 'HTTP 503' } as const;

/** Every member that a call may have. */
const complete: Required<Call> = {
  ...aClaimedCall({ status: 'completed', unfinished: 'ended' }),
  idempotency_key: 'order-7',
  callback_url: 'https://client.example/hook',
  tested_by: 'user-1',
  placed_by: {
    kind: 'lead',
    event_id: 'evt_1.retry.1',
    source: 'retry',
    asked_by: 'meera@example.com',
  },
  callback_status: 'pending',
  request_metadata: { First_Name: 'Asha', nested: { a: [1] } },
  lead: aCalledLead({
    owner_id: 'owner-1',
    fields: { First_Name: 'Asha' },
    read_at: AT,
    first_scheduled_for: AT,
    window: { start: '09:00', end: '21:00', exclude_sunday: true },
  }),
  claims_day: '2026-03-02',
  holds: 2,
  hold_unentered: true,
  keep: { recordings: 90, transcripts: 365 },
  keep_untagged: ['recordings', 'transcripts'],
  spend: { day: '2026-03-02', of_stage: true },
  spend_told_on: '2026-03-02',
  scheduled_for: AT,
  postponements: 1,
  dial_claimed_at: AT,
  unfinished: 'ended',
  slots: ['stage'],
  reserved_at: AT,
  slots_at: AT,
  calling_number: 'number-1',
  platform_id: 'p-2',
  former_platform_ids: new Set(['p-1']),
  second_platform_ids: new Set(['p-3']),
  absent_since: AT,
  absences: 1,
  rang_at: AT,
  answered_at: AT,
  hung_up_at: AT,
  stop_asked_at: AT,
  cancel_asked_at: AT,
  lead_stop: { outcome: 'do_not_call', reason: 'The flag is set.', read_at: AT },
  switched_off_at: AT,
  queued_at_platform: AT,
  ended_reason: 'customer-ended-call',
  started_at: AT,
  ended_at: AT,
  duration: 61,
  cost: 2_000,
  usage_day: '2026-03-02',
  beyond_hold: 500,
  transcript_key: 'transcripts/org/call.txt',
  lines_key: 'transcripts/org/call.json',
  recording: { state: 'stored', key: 'recordings/org/call.wav', error: 'none' },
  recording_after: AT,
  analysis: { state: 'done', result: aResult({ structured_data: { budget: 5 } }), is_cut: true, error: 'none' },
  analysis_after: AT,
  analyzed_at: AT,
  analysis_callback: 'pending',
  do_not_call_at: AT,
  release_sent_at: AT,
  finished_at: AT,
  finish_sent_at: AT,
  crm_b_sync: 'pending',
  crm_b_sync_after: AT,
  crm_b_sync_error: 'HTTP 503',
  crm_b_sync_sent_at: AT,
  call_log: write,
  note: write,
  ticket_work: 'pending',
  ticket_after: AT,
  ticket_error: 'HTTP 503',
  ticket_sent_at: AT,
  ticket_organization: '1',
  ticket_contact: write,
  former_contacts: [{ organization: '1', id: '2', at: AT }],
  ticket: write,
  ticket_fields: {
    departmentId: '1',
    subject: 's',
    description: 'd',
    phone: '+919812345678',
    priority: 'High',
    classification: 'Problem',
    assigneeId: '2',
  },
  ticket_tags: write,
  ticket_recording: write,
  ticket_transcript: write,
  ticket_refresh: write,
  ticket_refresh_at: AT,
  metadata: { ticket_number: '101' },
};

describe('a stored call', () => {
  it('is read back with all its members', () => {
    expect(callSchema.parse(complete)).toEqual(complete);
  });

  it.each<[keyof Call, values: unknown[]]>([
    ['unfinished', ['scheduled', 'waiting', 'reserved', 'claimed', 'ended']],
    ['callback_status', ['pending', 'delivered', 'failed']],
    ['analysis_callback', ['pending', 'done']],
    ['crm_b_sync', ['pending', 'done']],
    ['ticket_work', ['pending', 'done']],
    ['lead', [aCalledLead({ crm: 'crm-a' }), aCalledLead({ crm: 'crm-b' })]],
    ['recording', ['pending', 'stored', 'none', 'failed'].map((state) => ({ state }))],
    ['analysis', ['pending', 'done', 'none', 'failed'].map((state) => ({ state }))],
    ['ticket', ['asked', 'written', 'none', 'failed', 'unconfirmed'].map((state) => ({ state, at: AT }))],
  ])('has one of the known values of %s', (member, values) => {
    for (const value of values) expect(callSchema.parse({ ...complete, [member]: value })[member]).toEqual(value);
    for (const wrong of ['', { ...(values[0] as object), state: '', crm: '' }])
      expect(callSchema.safeParse({ ...complete, [member]: wrong }).success).toBe(false);
  });
});

describe('the hold of a call', () => {
  it.each<[string, Call, boolean]>([
    ['by REST exists from its placing on', aCall(), true],
    ['by REST exists even if the call is free', aCall({ rate: 0, held: 0 }), true],
    ['for a lead does not exist before its dial', aCall({ lead, held: 0 }), false],
    ['for a lead exists from its dial on', aClaimedCall({ lead }), true],
    ['that is scheduled does not exist', aCall({ lead, held: 0, status: 'scheduled' }), false],
  ])('%s', (_when, call, isHeld) => {
    expect(holdsCredit(call)).toBe(isHeld);
  });
});

describe('a call', () => {
  it.each<[string, boolean, Call]>([
    ['queued', true, aCall()],
    ['given back after a dial', true, aCall({ status: 'dialing' })],
    ['claimed', false, aClaimedCall()],
    ['adopted after its claim was given back', false, aCall({ status: 'dialing', platform_id: 'p' })],
    ['scheduled', false, aCall({ status: 'scheduled' })],
    ['ringing', false, aCall({ status: 'ringing' })],
    ['over', false, aCall({ status: 'canceled' })],
  ])('that is %s waits for its dial: %s', (_state, waits, call) => {
    expect(isWaiting(call)).toBe(waits);
  });
});

describe("a call's lead", () => {
  const early = '2026-03-01T00:00:00.000Z';
  const late = '2026-03-03T00:00:00.000Z';
  const stopAt = (read_at: string) => ({ outcome: 'do_not_call', reason: 'r', read_at }) as const;
  const fitsAt = (fits_at: string) => ({ ...lead, read_at: early, fits_at });
  const withLead = (times: { read_at?: string; fits_at?: string }) =>
    aCall({ created_at: AT, lead: { ...lead, ...times } });

  it.each<[string, Call, readAt: string, fitsAt: string]>([
    ['without times was read, and fits, when its call was placed', withLead({}), AT, AT],
    ['fits since it was read', withLead({ read_at: early }), early, early],
    ['fits since an event that is newer than its data', withLead({ read_at: early, fits_at: late }), early, late],
    ['fits since it was read again', withLead({ read_at: late, fits_at: early }), late, late],
    ['of a call by REST has the time of the call', aCall({ created_at: AT }), AT, AT],
  ])('%s', (_what, call, readAt, fitsAt) => {
    expect([leadReadAt(call), leadFitsAt(call)]).toEqual([readAt, fitsAt]);
  });

  it.each<[string, Partial<Call>, isStopped: boolean, mustNotRing: boolean]>([
    [
      'must not be called if the event that stops it is newer than the one that fits',
      { lead_stop: stopAt(late), lead: fitsAt(AT) },
      true,
      true,
    ],
    [
      'must not be called if the event that stops it is as old as the one that fits',
      { lead_stop: stopAt(AT), lead: fitsAt(AT) },
      true,
      true,
    ],
    [
      'may be called if the event that fits is newer than the one that stops it',
      { lead_stop: stopAt(early), lead: fitsAt(AT) },
      false,
      false,
    ],
    [
      'must not be called if an event stops it, and no other event fits',
      { lead_stop: stopAt(early), lead },
      true,
      true,
    ],
    ['must not ring if a person hung up its call', { stop_asked_at: AT }, false, true],
    ['must not ring if its connection was switched off', { lead, switched_off_at: AT }, false, true],
    ['may be called if no event stops it', { lead }, false, false],
  ])('%s', (_what, over, isStopped, isSilent) => {
    const call = aClaimedCall(over);
    expect(leadStopOf(call)).toEqual(isStopped ? over.lead_stop : undefined);
    expect(mustNotRing(call)).toBe(isSilent);
  });
});
