import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type Count, METRIC_DIMENSION } from '../domain/metric.ts';

// The namespace comes from the environment (POWERTOOLS_METRICS_NAMESPACE), as the alarms know it.
const metrics = new Metrics({ serviceName: METRIC_DIMENSION.service });

/** Each count is one line of the log in embedded metric format, written at once: a killed worker has told it. */
export const count: Count = (name, value = 1) => {
  metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};
