import type { Shown } from '../newer-values.ts';
import { toCredits } from '../organizations/credit.ts';
import type { AnalysisResult } from './analysis.ts';
import type { Call } from './call.ts';
import { isInPhase } from './call-phase.ts';
import type { ViewedCall } from './parts/viewed-call.ts';

/** The Call object of the REST API and of callbacks. */
export type CallView = {
  id: string;
  status: string;
  duration: number | null;
  cost: number | null;
  sentiment: string | null;
  summary: string | null;
  started_at: string | null;
  ended_at: string | null;
  phone_number: string;
  assistant_id: string;
  assistant_name: string;
  idempotency_key: string | null;
  callback_url: string | null;
  callback_status: string | null;
  request_metadata: Record<string, unknown>;
  ended_reason: string | null;
  analysis: AnalysisView | null;
};

/** The Analysis object of the REST API. */
export type AnalysisView = Pick<Shown<AnalysisResult>, 'summary' | 'success_eval' | 'structured_data'>;

export const viewAnalysis = ({ summary, success_eval, structured_data }: Shown<AnalysisResult>): AnalysisView => ({
  summary,
  success_eval,
  structured_data,
});

/** Shows a call to its organization: duration in seconds, cost in credits, null for unknown values. */
export function viewCall(call: ViewedCall): CallView {
  const result = call.analysis?.result;
  return {
    id: call.call_id,
    status: call.status,
    duration: call.duration ?? null,
    cost: call.cost === undefined ? null : toCredits(call.cost),
    sentiment: result?.sentiment ?? null,
    summary: result?.summary ?? null,
    started_at: call.started_at ?? (isInPhase(call, 'live') ? call.answered_at : undefined) ?? null,
    ended_at: call.ended_at ?? null,
    phone_number: call.phone_number,
    assistant_id: call.assistant_id,
    assistant_name: call.assistant_name,
    idempotency_key: call.idempotency_key ?? null,
    callback_url: call.callback_url ?? null,
    callback_status: call.callback_status ?? null,
    request_metadata: call.request_metadata,
    ended_reason: call.ended_reason ?? null,
    analysis: result ? viewAnalysis(result) : null,
  };
}

/** The answer of POST /v1/calls/outbound. */
export type QueuedCallView = {
  request_id: string;
  call_id: string;
  status: 'queued';
  phone_number: string;
  assistant_id: string;
  callback_url: string | null;
  message: string;
  idempotent_replay?: true;
};

/** Acknowledges a placed call. A replay gets the same values, even if the status has changed. */
export function acknowledge(call: Shown<Call>): QueuedCallView {
  return {
    request_id: call.request_id,
    call_id: call.call_id,
    status: 'queued',
    phone_number: call.phone_number,
    assistant_id: call.assistant_id,
    callback_url: call.callback_url ?? null,
    message: 'The call is queued and will be dialed shortly.',
  };
}
