import { deployedName, queues } from '../../../lib/queues.ts';
import { busyUntil } from '../../../shared/domain/calls/retention/erased-call.ts';
import { secondsBetween } from '../../../shared/domain/time/instants.ts';
import { failureAlarmOf } from '../support/failure-alarm.ts';
import { isDeadLetters } from '../support/resources.ts';
import { alarmNamed, alarms, functionNamed, prod, queueNamed, statementsOn } from '../support/stages/prod.ts';
import { type Resource, targetOf } from '../support/synthesize.ts';
import { triggeredBy } from '../support/triggers.ts';

describe('every queue', () => {
  const all = () => prod.ofType('AWS::SQS::Queue');

  it('is encrypted and refuses requests without TLS', () => {
    expect(all().length).toBeGreaterThan(Object.keys(queues).length);
    for (const queue of all()) {
      expect([queue.id, queue.Properties.SqsManagedSseEnabled]).toEqual([queue.id, true]);
      expect(statementsOn(queue, 'AWS::SQS::QueuePolicy', 'Queues')).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });

  it('keeps its deployed name and its place in the stack when it is renamed, so that its messages stay', () => {
    const ids = ['leads', 'leads-dead-letters'].map((name) => queueNamed(name).id);
    expect(ids).toEqual(['queueleadsqueueE0B14500', 'queueleadsdeadlettersqueueCCC6FD73']);
  });

  it('stores dead letters for seven days or has a dead-letter queue after five deliveries', () => {
    for (const queue of all()) {
      const { RedrivePolicy, MessageRetentionPeriod } = queue.Properties;
      if (isDeadLetters(queue)) {
        expect([queue.id, RedrivePolicy, MessageRetentionPeriod]).toEqual([queue.id, undefined, 7 * 24 * 3600]);
        continue;
      }
      expect(RedrivePolicy.maxReceiveCount).toBe(5);
      const target = prod.named(queue, RedrivePolicy.deadLetterTargetArn) as Resource;
      expect(isDeadLetters(target)).toBe(true);
      expect(target.Properties.MessageRetentionPeriod).toBeGreaterThan(MessageRetentionPeriod);
    }
  });

  it('of dead letters raises the alarm with the first one, unless the next run repeats its work', () => {
    const ofRuns = triggeredBy('schedule').flatMap(({ name, trigger }) => ('everyMinutes' in trigger ? [name] : []));
    for (const name of ofRuns) expect(alarmNamed(failureAlarmOf(name).alarm).Properties.MetricName).toBe('Errors');
    const silent = ofRuns.map((name) => `calling-service-prod-${name}-dead-letters`);
    for (const queue of all().filter(isDeadLetters)) {
      const raised = alarms().filter(
        ({ stack, Properties }) =>
          stack === queue.stack &&
          Properties.Dimensions?.some((d: { Value: unknown }) => targetOf(d.Value) === queue.id),
      );
      if (silent.includes(queue.Properties.QueueName)) {
        expect([queue.id, raised]).toEqual([queue.id, []]);
        continue;
      }
      expect(raised.map(({ Properties }) => Properties)).toMatchObject([
        {
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Threshold: 0,
          ComparisonOperator: 'GreaterThanThreshold',
          EvaluationPeriods: 1,
        },
      ]);
    }
  });

  it.each(Object.keys(queues))('of work (%s) raises the alarm when messages get old', (name) => {
    expect(alarmNamed(`${deployedName(name)}-age`).Properties).toMatchObject({
      ...{ MetricName: 'ApproximateAgeOfOldestMessage', Statistic: 'Maximum' },
      ...{ ComparisonOperator: 'GreaterThanThreshold', Threshold: 900 },
      ...{ Period: 60, EvaluationPeriods: 3 },
    });
  });

  it('has a worker that ends ten seconds before an erasure no longer waits for workers', () => {
    const waitedFor = secondsBetween(new Date(0), busyUntil(true, new Date(0)) ?? '');
    for (const { workerTimeoutSeconds } of Object.values(queues))
      expect(workerTimeoutSeconds + 10).toBeLessThanOrEqual(waitedFor);
  });

  it('hides a message for six times the time-out of its worker', () => {
    const workers = triggeredBy('queue').map(({ name, trigger }) => ({ name, queue: trigger.queue }));
    expect(workers.map(({ queue }) => queue).sort()).toEqual(Object.keys(queues).sort());
    for (const { name, queue } of workers)
      expect(queueNamed(deployedName(queue)).Properties.VisibilityTimeout).toBeGreaterThanOrEqual(
        6 * functionNamed(name).Properties.Timeout,
      );
  });
});

describe('every rule', () => {
  it('stores undeliverable events in the dead-letter queue', () => {
    const rules = prod.ofType('AWS::Events::Rule');
    expect(rules.length).toBeGreaterThan(0);
    for (const rule of rules)
      for (const target of rule.Properties.Targets) {
        const undelivered = prod.named(rule, target.DeadLetterConfig?.Arn);
        expect([rule.id, undelivered && isDeadLetters(undelivered)]).toEqual([rule.id, true]);
      }
  });

  it('of the bus matches only our events and passes on only their detail', () => {
    const ofBus = prod.ofType('AWS::Events::Rule').filter(({ Properties }) => Properties.EventPattern);
    for (const { Properties } of ofBus) {
      expect(Properties.EventPattern.source).toEqual(['calling-service']);
      expect(Properties.Targets).toMatchObject([{ InputPath: '$.detail' }]);
    }
    const pattern = (queue: string) => ofBus.find(({ id }) => id.startsWith(`rule${queue}`))?.Properties.EventPattern;
    expect(pattern('callbacks')?.detail).toEqual({ notify: [true] });
    expect(pattern('callbacks')?.['detail-type']).toContain('call.analyzed');
    expect(pattern('releases')).toEqual({ source: ['calling-service'], 'detail-type': ['call.scheduled'] });
    expect(pattern('slots')?.['detail-type']).toContain('call.queued');
  });
});
