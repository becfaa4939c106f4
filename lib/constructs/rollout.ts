import { createHash } from 'node:crypto';
import { Duration, FileSystem } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRIC_DIMENSION, WORK_FAILED } from '../../shared/domain/metric.ts';
import { bundleFolder } from '../bundle.ts';
import { type FunctionName, functionRow } from '../functions.ts';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';

const CHARACTERS = 12;
/** One message may fail by bad luck, such as a write that met another one too often. */
const MOST_FAILED = 1;

/**
 * Names what is deployed: the code, the rows and the settings of these functions. The same commit with the same
 * settings has the same name, so that a repeated deployment changes no function.
 */
export function rolloutOf(functions: readonly FunctionName[], stage: Stage): string {
  const parts = functions.map((name) => [name, functionRow(name), FileSystem.fingerprint(bundleFolder(name))]);
  return createHash('sha256')
    .update(JSON.stringify([parts, stage]))
    .digest('hex')
    .slice(0, CHARACTERS);
}

/**
 * Makes the alarm on work that fails in a rollout (shared/runtime/metrics.ts). Only CodeDeploy reads it: once all work
 * is the rollout's, single failures are normal, and the alarms on queues tell people what lasts. A rollout has an alarm
 * of its own, because CodeDeploy starts no canary while an alarm rings for the former one.
 */
export function rolloutAlarm(scope: Construct, rollout: string, stage: Stage): Alarm {
  const named = names(stage.name);
  const metric = new Metric({
    namespace: named.metrics,
    metricName: WORK_FAILED.name,
    dimensionsMap: { ...METRIC_DIMENSION, [WORK_FAILED.dimension]: rollout },
    period: Duration.minutes(5),
    statistic: 'Sum',
  });
  return metric.createAlarm(scope, 'rollout-alarm', {
    alarmName: named.alarm(`${rollout}-work-failed`),
    alarmDescription: `Workers of rollout ${rollout} fail; their canary is rolled back. docs/runbooks/alarms.md, "A rollout fails".`,
    threshold: MOST_FAILED,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
