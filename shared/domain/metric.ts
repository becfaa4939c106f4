/** Metrics with an alarm (lib/stacks/observability.ts). */
const metricNames = [
  'DoubleDial',
  'DialOperatorFault',
  'UnitsBeyondHold',
  'CallLost',
  'CallNotRecovered',
  'SlotsCorrected',
  'KnowledgeMissing',
  'ChannelDown',
  'ModelOperatorFault',
  'AnalysisFailed',
] as const;

/** The dimension of all metrics, so that an alarm covers every function. */
export const METRIC_DIMENSION = { service: 'calling-service' } as const;

export type MetricName = (typeof metricNames)[number];

export type Count = (name: MetricName, value?: number) => void;
