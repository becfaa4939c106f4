import { type FunctionName, functionRow } from '../../../lib/functions.ts';
import { takesLeads } from './triggers.ts';

/** Names the alarm of a function's failures, and its metric if that is a metric of the function. */
export function failureAlarmOf(name: FunctionName): { alarm: string; watches?: object } {
  const of = (ending: string, watches: object) => ({ alarm: `${name}-${ending}`, watches });
  switch (functionRow(name).trigger.kind) {
    case 'queue':
      return of('errors', { MetricName: 'Errors', Statistic: 'Sum', Threshold: 0, EvaluationPeriods: 1 });
    case 'stream':
      return of('iterator-age', { MetricName: 'IteratorAge', Statistic: 'Maximum', Threshold: 60_000 });
    case 'schedule':
      // Each run writes 0 or 1: the minimum of a period is 0 if one of its runs has succeeded.
      return of('heartbeat', { MetricName: 'Errors', Statistic: 'Minimum', Threshold: 0 });
    default:
      return { alarm: takesLeads(name) ? 'LeadWebhookFailed' : 'RouteFailed' };
  }
}
