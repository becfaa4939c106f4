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

/**
 * Messages and changes that workers could not process, by the rollout of the worker. Its alarm rolls a canary back
 * (docs/deploy.md, "Canaries").
 */
export const WORK_FAILED = { name: 'WorkFailed', dimension: 'rollout' } as const;

export type MetricName = (typeof metricNames)[number];

/** What is measured for the stage's dashboard and its objectives (lib/constructs/objectives.ts), with its unit. */
export const measures = {
  /** From the time at which a call may be dialed first, to the dial that the platform accepted. */
  SecondsToDial: 'Seconds',
  /** From the end of a call to its recording and analysis. */
  SecondsToFinish: 'Seconds',
  CallEnded: 'Count',
  CreditsOfCall: 'Count',
  CallbackDelivered: 'Count',
  CallbackFailed: 'Count',
  /** Slots that calls hold, as often as recover-calls runs and finds any, and the credit held for these calls. */
  SlotsHeld: 'Count',
  CreditHeld: 'Count',
} as const;

export type MeasureName = keyof typeof measures;

/** @property of further dimensions, each of few values. */
export type Measure = { name: MeasureName; value: number; of?: Readonly<Record<string, string>> };

export type TakeMeasure = (measure: Measure) => void;

export type Count = (name: MetricName, value?: number) => void;
