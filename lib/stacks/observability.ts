import { Stack, type StackProps } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Construct } from 'constructs';
import type { MetricName } from '../../shared/domain/metric.ts';
import { Objectives } from '../constructs/objectives.ts';
import { StageBoard } from '../constructs/stage-board.ts';
import { stageMetrics } from '../constructs/stage-metrics.ts';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';
import type { DataStack } from './data.ts';

/** The meaning of each metric when it is not zero. docs/runbooks/alarms.md has a section for each. */
const meanings: Record<MetricName, string> = {
  DoubleDial: 'The voice platform has two live calls for one call of ours. Runbook: "A double dial".',
  DialOperatorFault:
    'The voice platform refuses our account: key, payment or permission. Runbook: "The platform refuses us".',
  PlatformGateClosed:
    'No call is dialed: the voice platform fails, or has refused all calls for a minute. Runbook: "The gate is closed".',
  UnitsBeyondHold: 'A call cost more than its hold; the rest is not charged. Runbook: "Beyond the hold".',
  CallNotRecovered: 'recover-calls could not advance a call. Runbook: "A call is not recovered".',
  SlotsCorrected: 'A slot counter did not match the calls that hold slots. Runbook: "A slot counter was wrong".',
  KnowledgeMissing: 'A call was dialed without a document of its assistant. Runbook: "Knowledge is missing".',
  ChannelDown:
    'A CRM-B connection has no watch channel, and arming one failed: its leads arrive late. Runbook: "A channel is down".',
  ChannelCheckLate:
    'A check of the watch channels had no time for all connections. Runbook: "A check of the channels is late".',
  ConnectionSilent:
    'The deliveries of a CRM-A connection stay away for much longer than usual. Runbook: "A connection is silent".',
  ModelOperatorFault:
    'The language model refuses our account, or the configured model does not exist. Runbook: "The model refuses us".',
  AnalysisFailed: 'A call was finished without its analysis. Runbook: "A call is not analyzed".',
  LeadGivenUp: 'A lead was not called, and the service does not try again. Runbook: "A lead is given up".',
  SpendLimitReached:
    'A daily spend limit is reached: calls of an organization, or of all, wait. Runbook: "A spend limit is reached".',
  GrantGone: 'A vendor has ended a grant: a person must consent again. Runbook: "A grant is gone".',
  NoticeNotSent:
    'People were not told by e-mail of low credit or a broken connection. Runbook: "A notice is not sent".',
  KeyRefused:
    'Many requests of the REST API come without a valid API key. Runbook: "Many requests are not authenticated".',
  UnusualSpend:
    'An organization used far more credit in an hour than it usually does. Runbook: "An organization spends unusually".',
  CallLost: 'The voice platform accepted a call and no longer knows it. Runbook: "A lost call".',
};

/** How many of a metric in five minutes are no alarm; 0 where each one is. */
const thresholds: Partial<Record<MetricName, number>> = {
  // A client that keeps on sending a revoked key, or a scanner that passes by, is under it.
  KeyRefused: 100,
};

/**
 * Alarms on the service's own metrics and objectives, and the stage's board. Alarms on queues and functions are made
 * beside these.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, ...props }: StackProps & { stage: Stage; data: DataStack }) {
    super(scope, id, props);
    const named = names(stage.name);
    const metric = stageMetrics(named);
    for (const [metricName, meaning] of Object.entries(meanings) as [MetricName, string][]) {
      metric(metricName, 'Sum')
        .createAlarm(this, metricName, {
          alarmName: `${named.stack('')}${metricName}`,
          alarmDescription: meaning,
          threshold: thresholds[metricName] ?? 0,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          evaluationPeriods: 1,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        })
        .addAlarmAction(new SnsAction(data.alarms));
    }
    const { alarms } = new Objectives(this, 'objectives', { named, topic: data.alarms });
    new StageBoard(this, 'stage', { named, modelId: stage.modelId, alarms });
  }
}
