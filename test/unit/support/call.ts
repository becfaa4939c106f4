import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';

/** A call as POST /v1/calls/outbound creates it, with the changes of a test. */
export const aCall = (over: Partial<Call> = {}): Call => ({
  call_id: 'call_0123456789abcdef0123456789abcdef',
  org_id: 'org0123456789abcdef',
  request_id: 'request-1',
  status: 'queued',
  phone_number: '+919812345678',
  assistant_id: 'asst_1',
  assistant_name: 'Asha',
  request_metadata: {},
  created_at: '2026-03-02T06:00:00.000Z',
  progress_at: '2026-03-02T06:00:00.000Z',
  unfinished: 'waiting',
  rate: 1000,
  max_duration_seconds: 600,
  held: 10_000,
  dial_by: '2026-03-02T06:15:00.000Z',
  dial_after: '2026-03-02T06:00:00.000Z',
  attempts: 0,
  ...over,
});

/** The same call with slots, before its dial. */
export const aReservedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    unfinished: 'reserved',
    reserved_at: '2026-03-02T06:00:00.000Z',
    slots: ['stage', 'org#org0123456789abcdef'],
    ...over,
  });

/** The same call during a dial at the platform. */
export const aClaimedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    status: 'dialing',
    dial_claimed_at: '2026-03-02T06:00:01.000Z',
    slots: ['stage', 'org#org0123456789abcdef'],
    unfinished: 'claimed',
    attempts: 1,
    progress_at: '2026-03-02T06:00:01.000Z',
    ...over,
  });

/** The lead of a call. */
export const aCalledLead = (over: Partial<NonNullable<Call['lead']>> = {}): NonNullable<Call['lead']> => ({
  crm: 'crm-b',
  connection_id: 'conn_1',
  lead_id: 'lead-1',
  event_id: 'evt_1',
  event: 'new_lead',
  test: false,
  fields: {},
  ...over,
});

export const aResult = (over: Partial<AnalysisResult> = {}): AnalysisResult => ({
  summary: 'A visit was agreed.',
  success_eval: 'success',
  sentiment: 'positive',
  structured_data: {},
  lead_intent: null,
  issue_summary: null,
  do_not_call: false,
  ...over,
});
