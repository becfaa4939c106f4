import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { type AlarmTopics, createAlarm, type Severity } from './alarm.ts';
import { type StageMetrics, stageMetrics } from './stage-metrics.ts';

/** The objectives of a stage (docs/operations.md, "Objectives"). */
const objectives = {
  'dials-in-time': { percent: 95, words: 'calls dialed within 5 minutes. Runbook: "Dials are late".' },
  'calls-finished-in-time': {
    percent: 99,
    words: 'calls finished within 15 minutes of their end. Runbook: "Calls are finished late".',
  },
  'callbacks-delivered': { percent: 95, words: 'callbacks delivered. Runbook: "Callbacks fail".' },
} as const satisfies Record<string, { percent: number; words: string }>;

type Objective = keyof typeof objectives;

/**
 * The share of good events in a period, in percent, and the number of all events. Use only metrics that always have
 * values at the same time, even if all events are bad: an expression with an empty metric has no value, so its alarm
 * stays silent.
 */
const measured: Record<Objective, (metric: StageMetrics, period: Duration) => Measured> = {
  'dials-in-time': (metric, period) => ({
    percent: '100 * good',
    count: 'all',
    usingMetrics: {
      good: metric('DialedInTime', Stats.AVERAGE, period),
      all: metric('DialedInTime', Stats.SAMPLE_COUNT, period),
    },
  }),
  'calls-finished-in-time': (metric, period) => ({
    percent: '100 * good',
    count: 'all',
    usingMetrics: {
      good: metric('FinishedInTime', Stats.AVERAGE, period),
      all: metric('FinishedInTime', Stats.SAMPLE_COUNT, period),
    },
  }),
  'callbacks-delivered': (metric, period) => ({
    percent: '100 * good / (good + bad)',
    count: 'good + bad',
    usingMetrics: {
      good: metric('CallbackDelivered', Stats.SUM, period),
      bad: metric('CallbackFailed', Stats.SUM, period),
    },
  }),
};

type Measured = { percent: string; count: string; usingMetrics: Record<string, IMetric> };

/**
 * How many times faster than allowed the error budget of 30 days is used up (Google, "The Site Reliability Workbook",
 * chapter 5): 14.4 times for an hour uses 2 % of it, 6 times for six hours 5 %.
 */
const burnRates = [
  { name: 'fast', hours: 1, times: 14.4, severity: 'urgent' },
  { name: 'slow', hours: 6, times: 6, severity: 'warning' },
] as const satisfies { name: string; hours: number; times: number; severity: Severity }[];

/** The number of events below which a share is meaningless. */
const FEWEST_EVENTS = 10;

export class Objectives extends Construct {
  readonly alarms: Alarm[];

  constructor(scope: Construct, id: string, { named, topics }: { named: Names; topics: AlarmTopics }) {
    super(scope, id);
    const metric = stageMetrics(named);
    this.alarms = (Object.keys(objectives) as Objective[]).flatMap((objective) =>
      burnRates.map(({ name, hours, times, severity }) => {
        const { percent, words } = objectives[objective];
        const { percent: good, count, usingMetrics } = measured[objective](metric, Duration.hours(hours));
        const share = new MathExpression({
          expression: `IF(${count} >= ${FEWEST_EVENTS}, ${good}, 100)`,
          usingMetrics,
          period: Duration.hours(hours),
          label: `${objective}, %`,
        });
        const least = 100 - times * (100 - percent);
        return createAlarm(this, `${objective}-${name}`, topics, share, {
          name: `${named.stack('')}${objective}-${name}`,
          severity,
          description: `Less than ${least.toFixed(1)} % in ${hours} h; the objective is ${percent} % of ${words}`,
          threshold: least,
          raisedIf: 'below',
        });
      }),
    );
  }
}
