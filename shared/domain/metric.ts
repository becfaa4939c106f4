/** Numbers that an alarm watches (lib/stacks/observability.ts). */
const metricNames = [
  'DoubleDial',
  'DialOperatorFault',
  'UnitsBeyondHold',
  'CallLost',
  'CallNotRecovered',
  'KnowledgeMissing',
  'ChannelDown',
  'ModelOperatorFault',
  'AnalysisFailed',
] as const;

/** The dimension that all are published under, whichever function counts, and that the alarms watch. */
export const METRIC_DIMENSION = { service: 'calling-service' } as const;

export type MetricName = (typeof metricNames)[number];

export type Count = (name: MetricName, value?: number) => void;
