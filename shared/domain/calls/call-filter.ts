import type { Shown } from '../newer-values.ts';
import type { AnalysisResult } from './analysis.ts';
import type { Call } from './call.ts';
import { type CallSource, sourceOf } from './call-source.ts';
import type { CallStatus } from './call-status.ts';

/** The filters of a list of calls; absent ones do not apply. */
export type CallFilter = {
  status?: CallStatus | undefined;
  assistant_id?: string | undefined;
  source?: CallSource | undefined;
  success?: AnalysisResult['success_eval'] | undefined;
  /** `failed`: the client's system did not accept the notification of the end. */
  callback?: 'failed' | undefined;
  /** When the call was placed: ISO 8601, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
};

type Filtered = Pick<
  Shown<Call>,
  'status' | 'assistant_id' | 'lead' | 'tested_by' | 'callback_status' | 'created_at'
> & {
  analysis?: { result?: Pick<Shown<AnalysisResult>, 'success_eval'> | undefined } | undefined;
};

/** Returns whether the filter needs more than the times, by which the index of an organization's calls is sorted. */
export const readsMoreThanTimes = ({ status, assistant_id, source, success, callback }: CallFilter): boolean =>
  [status, assistant_id, source, success, callback].some((value) => value !== undefined);

/** Returns whether a call belongs to a filtered list. */
export function matchesFilter(call: Filtered, filter: CallFilter): boolean {
  const is = (value: string | undefined, wanted: string | undefined) => wanted === undefined || value === wanted;
  return (
    is(call.status, filter.status) &&
    is(call.assistant_id, filter.assistant_id) &&
    is(sourceOf(call), filter.source) &&
    is(call.analysis?.result?.success_eval, filter.success) &&
    is(call.callback_status, filter.callback) &&
    (filter.from === undefined || call.created_at >= filter.from) &&
    (filter.to === undefined || call.created_at <= filter.to)
  );
}
