/** Metrics with an alarm (lib/stacks/observability.ts). */
export const metricNames = [
  'DoubleDial',
  'DialOperatorFault',
  'PlatformGateClosed',
  'UnitsBeyondHold',
  'CallLost',
  'CallNotRecovered',
  'SlotsCorrected',
  'KnowledgeMissing',
  'ChannelDown',
  'ChannelCheckLate',
  'ConnectionSilent',
  'ModelOperatorFault',
  'AnalysisFailed',
  'LeadGivenUp',
  'SpendLimitReached',
  'GrantGone',
  'NoticeNotSent',
  'KeyRefused',
  'UnusualSpend',
] as const;

/** The dimension of all metrics, so that an alarm covers every function. */
export const METRIC_DIMENSION = { service: 'calling-service' } as const;

export type MetricName = (typeof metricNames)[number];

export type Count = (name: MetricName, value?: number) => void;
