import type { MetricName } from '../../../shared/domain/metric.ts';

/** A case that raises an alarm, the closest case that must not, and a function that runs each. */
export type Alarm = [
  metric: MetricName,
  rings: string,
  isSilent: string,
  run: (rings: boolean) => Promise<{ counted: string[] }>,
];
