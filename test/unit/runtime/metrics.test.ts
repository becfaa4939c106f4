import { METRIC_DIMENSION } from '../../../shared/domain/metric.ts';

describe('a count', () => {
  it('is written at once under the dimension of the alarms, in every function', async () => {
    process.env.POWERTOOLS_METRICS_NAMESPACE = 'CallingService/test';
    process.env.POWERTOOLS_SERVICE_NAME = 'some-function';
    const lines: string[] = [];
    const write = process.stdout.write;
    const log = console.log;
    const keep = (text: string) => lines.push(text);
    console.log = keep;
    process.stdout.write = ((text: string) => keep(text) > 0) as typeof write;
    const { count } = await import('../../../shared/runtime/metrics.ts');
    try {
      count('DoubleDial');
    } finally {
      console.log = log;
      process.stdout.write = write;
    }
    const [line] = lines.filter((text) => text.includes('DoubleDial')).map((text) => JSON.parse(text));
    expect(line).toMatchObject({ DoubleDial: 1, ...METRIC_DIMENSION });
    expect(line._aws.CloudWatchMetrics).toEqual([
      expect.objectContaining({ Namespace: 'CallingService/test', Dimensions: [Object.keys(METRIC_DIMENSION)] }),
    ]);
  });
});
