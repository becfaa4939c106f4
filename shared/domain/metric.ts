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
  'NotAuthenticated',
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

/** The measures for the stage's dashboard and its objectives (lib/constructs/objectives.ts), with their units. */
export const measures = {
  /** From the earliest time at which a call may be dialed to the dial that the platform accepted. */
  SecondsToDial: 'Seconds',
  /** 1 if a call was dialed in time, 0 if it was dialed late or not at all. */
  DialedInTime: 'Count',
  /** From the end of a call to its recording and analysis. */
  SecondsToFinish: 'Seconds',
  /** 1 if a call was finished in time, 0 if it was finished late or is found late by recover-calls. */
  FinishedInTime: 'Count',
  CallEnded: 'Count',
  CreditsOfCall: 'Count',
  CallbackDelivered: 'Count',
  CallbackFailed: 'Count',
  /** The slots and the credit that calls hold, measured by each run of recover-calls that finds any. */
  SlotsHeld: 'Count',
  CreditHeld: 'Count',
} as const;

export type MeasureName = keyof typeof measures;

/** @property of further dimensions, each with few values. */
export type Measure = { name: MeasureName; value: number; of?: Readonly<Record<string, string>> };

export type TakeMeasure = (measure: Measure) => void;

export type Count = (name: MetricName, value?: number) => void;
