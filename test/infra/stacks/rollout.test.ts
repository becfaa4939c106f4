import { rolloutOf } from '../../../lib/constructs/rollout.ts';
import { type FunctionName, functionNames, functionRow } from '../../../lib/functions.ts';
import { METRIC_DIMENSION, WORK_FAILED } from '../../../shared/domain/metric.ts';
import { failureAlarmOf } from '../support/failure-alarm.ts';
import { mentions } from '../support/resources.ts';
import { rightsOfRole } from '../support/rights.ts';
import { alarmNamed, calledBy, functionNamed, prod, prodNamed, rolloutAlarm } from '../support/stages/prod.ts';
import { aStage, type Resource, targetOf } from '../support/synthesize.ts';
import { hasEventSource, takesLeads } from '../support/triggers.ts';

describe('a canary', () => {
  const isOfApi = (name: FunctionName) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' && !trigger.isDashboard;
  };
  const tried = functionNames.filter((name) => hasEventSource(name) || isOfApi(name));
  const aliasOf = (name: FunctionName): Resource => {
    const found = prod
      .ofType('AWS::Lambda::Alias')
      .filter((one) => calledBy(one, { Ref: one.id })?.id === functionNamed(name).id);
    if (found.length !== 1) throw new Error(`${name} has ${found.length} aliases`);
    return found[0] as Resource;
  };
  const groupOf = (name: FunctionName): Resource =>
    prodNamed('AWS::CodeDeploy::DeploymentGroup', 'DeploymentGroupName', name);
  const variablesOf = (name: FunctionName) => functionNamed(name).Properties.Environment.Variables;

  it('covers every function of a queue, a stream or the API, and no other', () => {
    expect(tried).toEqual(
      expect.arrayContaining(['dial-call', 'publish-call-events', 'place-call', 'receive-crm-a-lead']),
    );
    for (const type of ['Lambda::Alias', 'Lambda::Version', 'CodeDeploy::DeploymentGroup'])
      expect([type, prod.ofType(`AWS::${type}`).length]).toEqual([type, tried.length]);
    expect(prod.ofType('AWS::CodeDeploy::Application')).toHaveLength(2);
  });

  it.each(tried)('gives %s a tenth of its work for ten minutes, and rolls it back if an alarm is raised', (name) => {
    const alias = aliasOf(name) as Resource & { UpdatePolicy: Record<string, Record<string, unknown>> };
    const [version] = alias.Properties.FunctionVersion['Fn::GetAtt'];
    expect(prod.named(alias, { Ref: version })).toMatchObject({ Type: 'AWS::Lambda::Version' });
    const { ApplicationName, DeploymentGroupName } = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate ?? {};
    expect(prod.named(alias, DeploymentGroupName)).toEqual(groupOf(name));
    expect(prod.named(alias, ApplicationName)).toMatchObject({ Properties: { ComputePlatform: 'Lambda' } });
    expect(groupOf(name).Properties).toMatchObject({
      ApplicationName,
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
    });
  });

  it.each(tried)('of %s is rolled back by the alarms of its failures, all of which exist', (name) => {
    const { Alarms, Enabled, IgnorePollAlarmFailure } = groupOf(name).Properties.AlarmConfiguration;
    expect([Enabled, IgnorePollAlarmFailure]).toEqual([true, undefined]);
    const found = Alarms.map(({ Name }: { Name: unknown }) =>
      typeof Name === 'string'
        ? Name.replace('calling-service-prod-', '')
        : prod.named(groupOf(name), Name)?.Properties.AlarmName.replace(/^calling-service-prod-([0-9a-f]{12}-)?/, ''),
    );
    expect([...found].sort()).toEqual(
      (hasEventSource(name)
        ? [failureAlarmOf(name).alarm, 'work-failed', 'DoubleDial']
        : // A 5xx of the dashboard rings RouteFailed, too, but is no reason to roll the API back.
          [takesLeads(name) ? 'LeadWebhookFailed' : 'http-5xx']
      ).sort(),
    );
    for (const one of found) if (one !== 'work-failed') expect(alarmNamed(one).Type).toBe('AWS::CloudWatch::Alarm');
  });

  it('is the only target of queues, streams and routes', () => {
    const called = (type: string, property: string) => {
      const found = prod.ofType(type).map((one) => prod.named(one, one.Properties[property]));
      return found.filter(
        (one) => one && !tried.every((name) => functionNamed(name).id !== calledBy(one, { Ref: one.id })?.id),
      );
    };
    for (const [type, property] of [
      ['AWS::Lambda::EventSourceMapping', 'FunctionName'],
      ['AWS::ApiGatewayV2::Integration', 'IntegrationUri'],
      ['AWS::Lambda::Permission', 'FunctionName'],
    ] as const) {
      const found = called(type, property);
      expect([type, found.length > 0]).toEqual([type, true]);
      expect([type, found.filter((one) => one?.Type !== 'AWS::Lambda::Alias')]).toEqual([type, []]);
    }
  });

  it('is called by API Gateway only once all its routes have permission', () => {
    const integrations = prod.ofType('AWS::ApiGatewayV2::Integration') as (Resource & { DependsOn?: string[] })[];
    expect(integrations.length).toBeGreaterThan(tried.filter(isOfApi).length);
    for (const { stack, id, DependsOn, Properties } of integrations) {
      const called = targetOf(Properties.IntegrationUri);
      const permissions = prod
        .ofType('AWS::Lambda::Permission')
        .filter((one) => one.stack === stack && targetOf(one.Properties.FunctionName) === called);
      expect([id, permissions.length > 0]).toEqual([id, true]);
      expect([id, [...(DependsOn ?? [])].sort()]).toEqual([id, permissions.map((one) => one.id).sort()]);
    }
  });

  it('of a worker counts only work that fails in its rollout, which names code and settings', () => {
    const { Dimensions, Namespace, ...others } = rolloutAlarm().Properties;
    const rollout = Dimensions.find(({ Name }: { Name: string }) => Name === WORK_FAILED.dimension).Value;
    expect(rollout).toMatch(/^[0-9a-f]{12}$/);
    expect(Dimensions).toEqual([
      { Name: WORK_FAILED.dimension, Value: rollout },
      ...Object.entries(METRIC_DIMENSION).map(([Name, Value]) => ({ Name, Value })),
    ]);
    expect(others).toMatchObject({ Statistic: 'Sum', Threshold: 1, TreatMissingData: 'notBreaching' });
    // An active alarm would keep CodeDeploy from the next canary, so a rollout has an alarm, and a name, of its own.
    expect(others.AlarmName).toContain(rollout);
    for (const name of functionNames) {
      const { ROLLOUT, METRICS_NAMESPACE } = variablesOf(name);
      expect([name, ROLLOUT]).toEqual([name, hasEventSource(name) ? rollout : undefined]);
      expect(METRICS_NAMESPACE).toBe(Namespace);
    }
    const stage = aStage('prod');
    const workers = functionNames.filter(hasEventSource);
    expect(rolloutOf(workers, stage)).toBe(rolloutOf([...workers], { ...stage }));
    expect(rolloutOf(workers, { ...stage, voiceSlots: 11 })).not.toBe(rolloutOf(workers, stage));
    expect(rolloutOf(workers.slice(1), stage)).not.toBe(rolloutOf(workers, stage));
  });

  it('lets CodeDeploy shift the aliases of its stack, and read the state of alarms', () => {
    const roles = prod
      .ofType('AWS::IAM::Role')
      .filter(({ Properties }) => mentions(Properties, 'codedeploy.amazonaws.com'));
    expect(roles.map(({ stack }) => stack)).toEqual(['calling-service-prod-workers', 'calling-service-prod-api']);
    for (const role of roles) {
      expect(Object.keys(role.Properties)).toEqual(['AssumeRolePolicyDocument']);
      const [reading, ...shifting] = rightsOfRole(role);
      expect([reading?.actions, reading?.resources]).toEqual([
        ['cloudwatch:DescribeAlarms'],
        expect.stringContaining(':alarm:*'),
      ]);
      const ofStack = tried.filter((name) => functionNamed(name).stack === role.stack);
      expect(shifting.map(({ actions, resources }) => [actions, resources]).sort()).toEqual(
        ofStack
          .map((name) => {
            const arn = { 'Fn::GetAtt': [functionNamed(name).id, 'Arn'] };
            return [
              ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              JSON.stringify([arn, { 'Fn::Join': ['', [arn, ':live']] }]),
            ];
          })
          .sort(),
      );
    }
  });

  it('leaves no former version behind that could collide with a later one', () => {
    for (const { id, DeletionPolicy } of prod.ofType('AWS::Lambda::Version'))
      expect([id, DeletionPolicy ?? 'Delete']).toEqual([id, 'Delete']);
  });
});
