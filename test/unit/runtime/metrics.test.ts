import '../support/silence.ts';
import { METRIC_DIMENSION } from '../../../shared/domain/metric.ts';
import { metricLinesOf } from '../support/metric-lines.ts';

describe('a count', () => {
  it('is written at once under the dimension of the alarms, in every function', async () => {
    process.env.POWERTOOLS_SERVICE_NAME = 'some-function';
    const { count } = await import('../../../shared/runtime/metrics.ts');
    const [line] = await metricLinesOf(() => count('DoubleDial'));
    expect(line).toMatchObject({ DoubleDial: 1, ...METRIC_DIMENSION });
    expect(line?._aws.CloudWatchMetrics).toEqual([
      expect.objectContaining({ Namespace: 'CallingService/test', Dimensions: [Object.keys(METRIC_DIMENSION)] }),
    ]);
  });
});
