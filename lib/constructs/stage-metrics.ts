import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_DIMENSION, type MeasureName, type MetricName } from '../../shared/domain/metric.ts';
import type { Names } from '../names.ts';

/** Creates the metrics that the functions of a stage write (shared/runtime/metrics.ts). */
export const stageMetrics =
  (named: Names) =>
  (metricName: MetricName | MeasureName, statistic: string, period: Duration = Duration.minutes(5)): Metric =>
    new Metric({ namespace: named.metrics, metricName, dimensionsMap: METRIC_DIMENSION, period, statistic });

export type StageMetrics = ReturnType<typeof stageMetrics>;
