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
/** A single message may fail by chance, for example because a write kept conflicting with others. */
const MAX_FAILED = 1;

/**
 * Names a rollout by the code, the rows and the settings of these functions. The same commit with the same settings has
 * the same name, so that a repeated deployment changes no function.
 */
export function rolloutOf(functions: readonly FunctionName[], stage: Stage): string {
  const parts = functions.map((name) => [name, functionRow(name), FileSystem.fingerprint(bundleFolder(name))]);
  return createHash('sha256')
    .update(JSON.stringify([parts, stage]))
    .digest('hex')
    .slice(0, CHARACTERS);
}

/**
 * Creates the alarm on work that fails in a rollout (shared/runtime/metrics.ts). Only CodeDeploy reads it: once the
 * rollout gets all work, single failures are normal, and the alarms on queues report lasting ones. Each rollout has its
 * own alarm, because CodeDeploy starts no canary while an alarm of the former rollout is active.
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
    threshold: MAX_FAILED,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
