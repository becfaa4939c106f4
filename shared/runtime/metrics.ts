import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type Count, METRIC_DIMENSION, measures, type TakeMeasure, WORK_FAILED } from '../domain/metric.ts';

// The namespace comes from POWERTOOLS_METRICS_NAMESPACE; the alarms use the same one.
let made: Metrics | undefined;
const metricsOf = () => {
  made ??= new Metrics({ serviceName: METRIC_DIMENSION.service });
  return made;
};

/** Writes each count at once as a log line in embedded metric format, so that a killed worker loses none. */
export const count: Count = (name, value = 1) => {
  const metrics = metricsOf();
  metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};

/** Writes a measure at once, like a count. */
export const takeMeasure: TakeMeasure = ({ name, value, of = {} }) => {
  const metric = metricsOf().singleMetric();
  for (const [dimension, member] of Object.entries(of)) metric.addDimension(dimension, member);
  metric.addMetric(name, MetricUnit[measures[name]], value);
};

/**
 * Counts failed messages or changes that are redelivered, by the rollout in the variable ROLLOUT. Without it, the stage
 * has no canaries and nothing is written.
 */
export function countFailedWork(failed: number): void {
  const { ROLLOUT } = process.env;
  if (!ROLLOUT) return;
  const metric = metricsOf().singleMetric();
  metric.addDimension(WORK_FAILED.dimension, ROLLOUT);
  metric.addMetric(WORK_FAILED.name, MetricUnit.Count, failed);
}
