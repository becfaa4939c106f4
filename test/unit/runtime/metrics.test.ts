import '../support/silence.ts';
import { readFileSync } from 'node:fs';
import { METRIC_DIMENSION } from '../../../shared/domain/metric.ts';
import { count, countFailedWork, takeMeasure } from '../../../shared/runtime/metrics.ts';
import { writtenBy } from '../support/log-cases.ts';
import { metricLinesOf } from '../support/metric-lines.ts';

/** The line that Powertools wrote for the same metrics. */
const golden = JSON.parse(readFileSync('test/unit/runtime/golden/metric-lines.json', 'utf8')) as Record<
  string,
  string[]
>;

const metrics: Readonly<Record<string, () => void>> = {
  'a count': () => count('DoubleDial'),
  'several at once': () => count('NotAuthenticated', 3),
  'a measure': () => takeMeasure({ name: 'SecondsToDial', value: 1.5 }),
  'a measure with dimensions': () =>
    takeMeasure({ name: 'CallEnded', value: 1, of: { status: 'completed', reason: 'x', none: '' } }),
  'failed work': () => {
    process.env.ROLLOUT = '17';
    countFailedWork(2);
    delete process.env.ROLLOUT;
  },
};

describe('a metric', () => {
  it.each(Object.entries(metrics))('has the form of Powertools: %s', (name, work) => {
    const lines = writtenBy(work).map((line) => line.replace(/"Timestamp":\d{13}/, '"Timestamp":0'));
    expect(lines).toEqual(golden[name]);
  });

  it('is written at once under the dimension of the alarms, in every function', async () => {
    process.env.SERVICE_NAME = 'some-function';
    const [line] = await metricLinesOf(() => count('DoubleDial'));
    expect(line).toMatchObject({ DoubleDial: 1, ...METRIC_DIMENSION });
    expect(line?._aws.CloudWatchMetrics).toEqual([
      expect.objectContaining({ Namespace: 'CallingService/test', Dimensions: [Object.keys(METRIC_DIMENSION)] }),
    ]);
  });
});
