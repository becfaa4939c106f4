import { type Count, METRIC_DIMENSION, measures, type TakeMeasure, WORK_FAILED } from '../domain/metric.ts';

type Metric = { name: string; unit: 'Count' | 'Seconds'; value: number };

/**
 * Writes a metric at once as a log line, so that a killed worker loses none (CloudWatch guide, "Embedded metric
 * format"). The namespace comes from METRICS_NAMESPACE; the alarms use the same one.
 * @param of additional dimensions
 */
function write({ name, unit, value }: Metric, of: Readonly<Record<string, string>> = {}): void {
  // CloudWatch refuses a dimension without a value.
  const dimensions = { ...METRIC_DIMENSION, ...Object.fromEntries(Object.entries(of).filter(([, value]) => value)) };
  const metric = {
    Namespace: process.env.METRICS_NAMESPACE,
    Dimensions: [Object.keys(dimensions)],
    Metrics: [{ Name: name, Unit: unit }],
  };
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics: [metric] }, ...dimensions, [name]: value };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Writes a count. */
export const count: Count = (name, value = 1) => write({ name, unit: 'Count', value });

/** Writes a measure. */
export const takeMeasure: TakeMeasure = ({ name, value, of }) => write({ name, unit: measures[name], value }, of);

/**
 * Counts failed messages or changes that are redelivered, by the rollout in the variable ROLLOUT. Without it, the stage
 * has no canaries and nothing is written.
 */
export function countFailedWork(failed: number): void {
  const { ROLLOUT } = process.env;
  if (ROLLOUT) write({ name: WORK_FAILED.name, unit: 'Count', value: failed }, { [WORK_FAILED.dimension]: ROLLOUT });
}
