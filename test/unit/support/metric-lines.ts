/** A log line in CloudWatch's embedded metric format. */
type MetricLine = Record<string, unknown> & {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};

/** Runs work and captures the metric lines that it prints. @returns those lines, which reach no output */
export async function metricLinesOf(work: () => unknown): Promise<MetricLine[]> {
  const lines: string[] = [];
  const write = process.stdout.write;
  const log = console.log;
  const keep = (text: string) => lines.push(text);
  console.log = keep;
  process.stdout.write = ((text: string) => keep(text) > 0) as typeof write;
  try {
    await work();
  } finally {
    console.log = log;
    process.stdout.write = write;
  }
  return lines.filter((text) => text.includes('"_aws"')).map((text) => JSON.parse(text) as MetricLine);
}
