import { deployedName, queues } from '../../../lib/queues.ts';
import { measures } from '../../../shared/domain/metric.ts';
import { alarms, only } from '../support/stages/prod.ts';

describe('the objectives', () => {
  type Query = { Id: string; Expression?: string; MetricStat?: MetricStat };
  type MetricStat = { Stat: string; Period: number; Metric: { MetricName: string } };
  const burning = () => alarms().filter(({ Properties }) => /-(fast|slow)$/.test(Properties.AlarmName));
  const alarmsOn = (objective: string) =>
    burning()
      .filter(({ Properties }) => Properties.AlarmName.includes(`-${objective}-`))
      .map(({ Properties }) => Properties);
  const board = () => JSON.stringify(only('AWS::CloudWatch::Dashboard').Properties.DashboardBody);
  const queriesOf = ({ Metrics }: { Metrics: Query[] }) => Metrics;

  it.each([
    ['dials-in-time', 28, 70],
    ['calls-finished-in-time', 85.6, 94],
    ['callbacks-delivered', 28, 70],
  ])('%s is raised if the share of an hour or of six uses up its budget too fast', (objective, fast, slow) => {
    const found = alarmsOn(objective);
    const below = { ComparisonOperator: 'LessThanThreshold', EvaluationPeriods: 1 };
    expect(found).toMatchObject([fast, slow].map((one) => ({ ...below, Threshold: expect.closeTo(one) })));
    const periods = found.map((alarm) => queriesOf(alarm).flatMap(({ MetricStat }) => MetricStat?.Period ?? []));
    expect(periods).toEqual([
      [3_600, 3_600],
      [21_600, 21_600],
    ]);
  });

  it.each([
    // Counts calls that are never dialed, in one metric, because arithmetic with an empty one has no value.
    ['dials-in-time', '100 * good', 'all', { good: 'DialedInTime Average', all: 'DialedInTime SampleCount' }],
    // Counts calls that are never finished.
    [
      'calls-finished-in-time',
      '100 * good',
      'all',
      { good: 'FinishedInTime Average', all: 'FinishedInTime SampleCount' },
    ],
    [
      'callbacks-delivered',
      '100 * good / (good + bad)',
      'good + bad',
      { good: 'CallbackDelivered Sum', bad: 'CallbackFailed Sum' },
    ],
  ])('%s measures the percentage of good events, and ignores fewer than 10', (objective, percent, count, measured) => {
    const found = alarmsOn(objective);
    expect(found).toHaveLength(2);
    for (const alarm of found) {
      const [share, ...metrics] = queriesOf(alarm);
      expect(share?.Expression).toBe(`IF(${count} >= 10, ${percent}, 100)`);
      const named = metrics.map(({ Id, MetricStat }) => [Id, `${MetricStat?.Metric.MetricName} ${MetricStat?.Stat}`]);
      expect(Object.fromEntries(named)).toEqual(measured);
    }
  });

  it('are on the board, with every measure of the functions and every queue', () => {
    const body = board();
    for (const name of Object.keys(measures)) expect(body).toContain(name);
    for (const name of Object.keys(queues))
      expect(body).toContain(`calling-service-prod-${deployedName(name)}-dead-letters`);
    for (const { id } of burning()) expect(body).toContain(id);
  });

  it('share the board with percentiles of each delay, the age of each queue, the model, lines, credit and its cost', () => {
    const body = board().replaceAll('\\', '');
    const ofService = (name: string, stat: string) =>
      `["CallingService/prod","${name}","service","calling-service"${stat === 'Average' ? '' : `,{"stat":"${stat}"}`}`;
    for (const [name, stat] of [
      ...['SecondsToDial', 'SecondsToFinish'].flatMap((delay) => ['p50', 'p99'].map((stat) => [delay, stat] as const)),
      ...[['SlotsHeld', 'Maximum'] as const, ['CreditHeld', 'Maximum'] as const, ['CreditsOfCall', 'Average'] as const],
    ])
      expect(body).toContain(ofService(name, stat));
    for (const name of Object.keys(queues))
      expect(body).toContain(
        `["AWS/SQS","ApproximateAgeOfOldestMessage","QueueName","calling-service-prod-${deployedName(name)}"`,
      );
    for (const stat of ['p50', 'p99'])
      expect(body).toMatch(
        new RegExp(`"AWS/Bedrock","InvocationLatency","ModelId","amazon.nova-lite-v1:0",{[^}]*"stat":"${stat}"`),
      );
  });

  it('are searched for on the board in a quoted namespace, because the name of a stage may contain a dash', () => {
    expect(
      board()
        .match(/SEARCH\('\{[^}]*\}/g)
        ?.map((search) => search.replaceAll('\\', '')),
    ).toEqual([`SEARCH('{"CallingService/prod",service,status}`]);
  });
});
