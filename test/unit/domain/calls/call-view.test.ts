import { acknowledge, viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { aCall, aClaimedCall, aResult } from '../../support/call.ts';

const ended = aClaimedCall({
  status: 'completed',
  unfinished: 'ended',
  platform_id: 'platform-1',
  former_platform_ids: new Set(['platform-0']),
  ended_reason: 'customer-ended-call',
  started_at: '2026-03-02T06:00:10.000Z',
  ended_at: '2026-03-02T06:01:11.000Z',
  duration: 61,
  cost: 2500,
  beyond_hold: 500,
  idempotency_key: 'order-7',
  callback_url: 'https://client.example/hook',
  callback_status: 'delivered',
  request_metadata: { First_Name: 'Asha' },
  transcript_key: 'transcripts/org/call.txt',
  recording: { state: 'stored', key: 'recordings/org/call.wav' },
  finished_at: '2026-03-02T06:02:00.000Z',
});

describe('the Call object', () => {
  const unknown = {
    id: aCall().call_id,
    status: 'queued',
    duration: null,
    cost: null,
    sentiment: null,
    summary: null,
    started_at: null,
    ended_at: null,
    phone_number: '+919812345678',
    assistant_id: 'asst_1',
    assistant_name: 'Asha',
    idempotency_key: null,
    callback_url: null,
    callback_status: null,
    request_metadata: {},
    ended_reason: null,
    analysis: null,
  };

  it('has null for everything that is not known yet, and {} for absent metadata', () => {
    expect(viewCall(aCall())).toEqual(unknown);
  });

  it('has the time of the answer as its start during the conversation, and the start in the report afterwards', () => {
    const answered_at = '2026-03-02T06:00:09.000Z';
    expect(viewCall(aClaimedCall({ status: 'in_progress', answered_at })).started_at).toBe(answered_at);
    expect(viewCall({ ...ended, answered_at }).started_at).toBe(ended.started_at);
    const { started_at: _, ...neverConnected } = ended;
    expect(viewCall({ ...neverConnected, status: 'failed', answered_at }).started_at).toBeNull();
  });

  it('shows the analysis with the field names of the API, and hides its internal fields', () => {
    const result = aResult({ structured_data: { order: 7 }, issue_summary: 'The tap leaks.', do_not_call: true });
    const { summary, sentiment, success_eval, structured_data } = result;
    const view = viewCall({ ...ended, analysis: { state: 'done', result, is_cut: true } });
    const analysis = { summary, success_eval, structured_data };
    expect(view).toEqual({ ...viewCall(ended), sentiment, summary, analysis });
  });

  it.each([
    { state: 'pending' as const },
    { state: 'none' as const, error: 'nobody answered' },
    { state: 'failed' as const, error: 'throttled' },
  ])('has null for an analysis that is $state', (analysis) => {
    expect(viewCall({ ...ended, analysis })).toEqual(viewCall(ended));
  });

  it('shows the duration in seconds and the cost in credits, and hides internal fields', () => {
    expect(viewCall(ended)).toEqual({
      ...unknown,
      status: 'completed',
      duration: 61,
      cost: 2.5,
      started_at: '2026-03-02T06:00:10.000Z',
      ended_at: '2026-03-02T06:01:11.000Z',
      idempotency_key: 'order-7',
      callback_url: 'https://client.example/hook',
      callback_status: 'delivered',
      request_metadata: { First_Name: 'Asha' },
      ended_reason: 'customer-ended-call',
    });
  });

  it('has duration 0 and cost 0, not null, for a call that never connected', () => {
    const zero = { duration: 0, cost: 0 };
    expect(viewCall(aCall({ status: 'no_answer', ...zero }))).toMatchObject({ ...zero, started_at: null });
  });
});

describe('the acknowledgement', () => {
  it('is the same for every replay, whatever the current status of the call', () => {
    for (const call of [aCall({ callback_url: 'https://client.example/hook' }), ended])
      expect(acknowledge(call)).toEqual({
        request_id: 'request-1',
        call_id: aCall().call_id,
        status: 'queued',
        phone_number: '+919812345678',
        assistant_id: 'asst_1',
        callback_url: 'https://client.example/hook',
        message: 'The call is queued and will be dialed shortly.',
      });
  });

  it('has null without a callback address', () => {
    expect(acknowledge(aCall()).callback_url).toBeNull();
  });
});
