import { isBetween } from '../support/resources.ts';
import { read } from '../support/sources.ts';
import { disposable } from '../support/stages/disposable.ts';
import { alarmNamed, alarms, prod, rolloutAlarm, statementsOn } from '../support/stages/prod.ts';
import type { Resource } from '../support/synthesize.ts';
import { triggeredBy } from '../support/triggers.ts';

describe('every alarm', () => {
  const isHeartbeat = ({ Properties }: Resource) => Properties.AlarmName.endsWith('-heartbeat');

  const ofCertificates = () => alarms().filter(({ Properties }) => Properties.MetricName === 'DaysToExpiry');

  it('notifies its severity’s topic when it begins and when it ends, unless only CodeDeploy reads it', () => {
    for (const alarm of alarms().filter((one) => one.id !== rolloutAlarm().id)) {
      const { AlarmActions, OKActions, InsufficientDataActions, AlarmDescription, TreatMissingData } = alarm.Properties;
      const [, severity] = /^(Urgent|Warning): /.exec(AlarmDescription) ?? [];
      expect([alarm.id, severity, AlarmActions.length]).toEqual([alarm.id, expect.any(String), 1]);
      // The reference names the logical id of the topic.
      const topic = severity === 'Urgent' ? /alarms[A-Z0-9]/ : /warnings[A-Z0-9]/;
      expect([alarm.id, JSON.stringify(AlarmActions)]).toEqual([alarm.id, expect.stringMatching(topic)]);
      expect([alarm.id, OKActions]).toEqual([alarm.id, AlarmActions]);
      if (isHeartbeat(alarm)) continue;
      const whileAbsent = ofCertificates().includes(alarm) ? 'ignore' : 'notBreaching';
      expect([alarm.id, TreatMissingData, InsufficientDataActions]).toEqual([alarm.id, whileAbsent, undefined]);
    }
  });

  it('of a schedule rings if runs are missing; that of a weekly one only after its first run, which may be days away', () => {
    for (const { name, trigger } of triggeredBy('schedule')) {
      const { TreatMissingData, InsufficientDataActions, AlarmActions } = alarmNamed(`${name}-heartbeat`).Properties;
      // A new alarm without values is in the state INSUFFICIENT_DATA. Only a change to this state is notified.
      const expected = 'weekly' in trigger ? ['missing', AlarmActions] : ['breaching', undefined];
      expect([name, TreatMissingData, InsufficientDataActions]).toEqual([name, ...expected]);
    }
  });

  it('of a weekly schedule looks at whole days, because a sliding week is empty until the value of each new run arrives', () => {
    const weekly = triggeredBy('schedule').filter(({ trigger }) => 'weekly' in trigger);
    expect(weekly).not.toEqual([]);
    for (const { name } of weekly)
      expect(alarmNamed(`${name}-heartbeat`).Properties).toMatchObject({
        ...{ Period: 86_400, EvaluationPeriods: 7 },
        EvaluationWindow: { WallClockWindow: { Timezone: 'Asia/Kolkata' } },
      });
  });

  it('reaches its topic, because CloudWatch may publish there for this account', () => {
    const topics = prod.ofType('AWS::SNS::Topic');
    expect(topics).toHaveLength(2);
    for (const topic of topics)
      expect(statementsOn(topic, 'AWS::SNS::TopicPolicy', 'Topics')).toContainEqual(
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Resource: { Ref: topic.id },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
  });

  it('has a section of the runbook that names it', () => {
    const sections = new Map(
      read('docs/runbooks/alarms.md')
        .split(/^## /m)
        .map((text) => [text.slice(0, text.indexOf('\n')), text]),
    );
    for (const { Properties } of alarms()) {
      const [, title = ''] =
        /(?:Runbook:|docs\/runbooks\/alarms\.md,) "([^"]+)"/.exec(Properties.AlarmDescription) ?? [];
      const ending = Properties.AlarmName.replace('calling-service-prod-', '');
      const names = [...(sections.get(title) ?? '').matchAll(/`…-([\w-]+)`/g)].map(([, name = '']) =>
        name.replace(/^(FUNCTION|QUEUE|ROLLOUT|NAME)-/, ''),
      );
      expect([ending, title, names.some((name) => ending.endsWith(name))]).toEqual([ending, title, true]);
    }
  });

  it('of a schedule is raised if its runs are missing, or if all of them fail', () => {
    const schedules = triggeredBy('schedule');
    expect(schedules.length).toBeGreaterThan(3);
    expect(alarms().filter(isHeartbeat)).toHaveLength(schedules.length);
    for (const { name, trigger } of schedules) {
      const { Period, EvaluationPeriods, ...others } = alarmNamed(`${name}-heartbeat`).Properties;
      expect(others.DatapointsToAlarm).toBeUndefined();
      // This is the alarm that a person receives; there is no other.
      expect(others.AlarmDescription).not.toMatch(/error alarm|rings/i);
      const minutes = 'everyMinutes' in trigger ? trigger.everyMinutes : 7 * 24 * 60;
      // One late run raises no alarm. CloudWatch looks back a day, or a week by periods of an hour or more.
      const seen = (Period * EvaluationPeriods) / 60;
      expect([name, isBetween('everyMinutes' in trigger ? 2 * minutes : minutes, seen, 3 * minutes)]).toEqual([
        name,
        true,
      ]);
      expect(seen).toBeLessThanOrEqual(Period < 3_600 ? 24 * 60 : 7 * 24 * 60);
    }
  });

  it('is included in the number that docs/deploy.md states', () => {
    const [, said] = /(\d+) alarms/.exec(read('docs/deploy.md')) ?? [];
    // A stage without names of its own has no certificates.
    expect(Number(said)).toBe(alarms().length - ofCertificates().length);
  });

  it('of throttles watches all functions of the region for 15 minutes, because they share one concurrency', () => {
    const { Dimensions, ...others } = alarmNamed('throttles').Properties;
    expect(Dimensions).toBeUndefined();
    expect(others).toMatchObject({
      ...{ Namespace: 'AWS/Lambda', MetricName: 'Throttles', Statistic: 'Sum' },
      ...{ ComparisonOperator: 'GreaterThanThreshold', Threshold: 0 },
      ...{ Period: 300, EvaluationPeriods: 3 },
    });
  });

  it('of throttles leaves out the functions that a stage limits, whether or not they have values', () => {
    const [alarm] = disposable
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.AlarmName.endsWith('-throttles'));
    const { Metrics, ...others } = alarm?.Properties ?? {};
    expect(others).toMatchObject({ Threshold: 0, EvaluationPeriods: 3, TreatMissingData: 'notBreaching' });
    const isMath = ({ Expression }: { Expression?: string }) => Expression !== undefined;
    const watched = Metrics.filter((one: object) => !isMath(one));
    const functions = watched.map(({ MetricStat: { Metric, Period, Stat } }: Resource['Properties']) => {
      expect([Metric.Namespace, Metric.MetricName, Period, Stat]).toEqual(['AWS/Lambda', 'Throttles', 300, 'Sum']);
      return Metric.Dimensions?.map(({ Name, Value }: Record<string, string>) => `${Name} ${Value}`).join();
    });
    const limited = ['add-knowledge', 'analyze-call', 'repeat-analysis', 'upload-knowledge'];
    expect([...functions].sort()).toEqual([
      ...limited.map((name) => `FunctionName calling-service-try-${name}`),
      undefined,
    ]);
    const [{ Expression }, ...more] = Metrics.filter(isMath);
    expect(more).toEqual([]);
    const [all, ...left] = watched.map(({ Id }: { Id: string }) => Id);
    expect(functions[0]).toBeUndefined();
    expect(Expression).toBe(`SUM([${[all, ...left.map((id: string) => `-FILL(${id}, 0)`)].join(', ')}])`);
  });
});
