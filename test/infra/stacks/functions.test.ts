import { functionNames } from '../../../lib/functions.ts';
import { failureAlarmOf } from '../support/failure-alarm.ts';
import { functionsOf, nameOf } from '../support/resources.ts';
import { rightsOfRole } from '../support/rights.ts';
import { disposable } from '../support/stages/disposable.ts';
import { local } from '../support/stages/local.ts';
import { alarmNamed, functionNamed, prod } from '../support/stages/prod.ts';
import { type Resource, type Synthesized, targetOf } from '../support/synthesize.ts';

describe('every function', () => {
  it('is in the list, and every function of the list exists', () => {
    expect(functionsOf(prod).map(nameOf).sort()).toEqual([...functionNames].sort());
  });

  it.each(functionNames)('%s runs on arm64 and Node.js 24 with explicit memory and time-out', (name) => {
    const { Properties } = functionNamed(name);
    expect(Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
    });
    expect(Properties).not.toHaveProperty('TracingConfig');
    expect(Properties.MemorySize).toBeGreaterThanOrEqual(256);
    expect(Properties.Timeout).toBeGreaterThanOrEqual(10);
  });

  it('recover-calls has the memory and the time for the unfinished calls of a busy stage', () => {
    const { Properties } = functionNamed('recover-calls');
    expect(Properties).toMatchObject({ MemorySize: 1_024, Timeout: 240 });
  });

  it.each(functionNames)('%s has its own role, and its own log with a retention period', (name) => {
    const lambda = functionNamed(name);
    const log = prod.named(lambda, lambda.Properties.LoggingConfig.LogGroup);
    expect(log?.Properties).toMatchObject({
      LogGroupName: `/aws/lambda/calling-service-prod-${name}`,
      RetentionInDays: 90,
    });
    const role = prod.named(lambda, lambda.Properties.Role) as Resource;
    expect(Object.keys(role.Properties)).not.toEqual(expect.arrayContaining([expect.stringMatching(/Policies|Arns/)]));
    const users = functionsOf(prod).filter((other) => prod.named(other, other.Properties.Role) === role);
    expect(users).toEqual([lambda]);
  });

  it("has a log with a retention period, even the CDK's own functions of a disposable stage", () => {
    const lambdas = disposable.ofType('AWS::Lambda::Function');
    expect(lambdas.filter(({ id }) => id.startsWith('CustomS3AutoDeleteObjects'))).toHaveLength(2);
    for (const app of [prod, disposable])
      for (const lambda of app.ofType('AWS::Lambda::Function')) {
        const log = app.named(lambda, lambda.Properties.LoggingConfig?.LogGroup);
        expect([lambda.id, log?.Properties.RetentionInDays]).toEqual([lambda.id, 90]);
      }
  });

  it.each(functionNames)('%s may write only its own log', (name) => {
    const lambda = functionNamed(name);
    const role = prod.named(lambda, lambda.Properties.Role) as Resource;
    const logging = rightsOfRole(role).filter(({ actions }) => actions.some((action) => action.startsWith('logs:')));
    const resources = JSON.stringify({ 'Fn::GetAtt': [targetOf(lambda.Properties.LoggingConfig.LogGroup), 'Arn'] });
    expect(logging).toMatchObject([{ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources }]);
  });

  it.each(functionNames)('%s has an alarm that is raised if it fails', (name) => {
    const { alarm, watches } = failureAlarmOf(name);
    const { Properties } = alarmNamed(alarm);
    if (!watches) return;
    const above = { Namespace: 'AWS/Lambda', ComparisonOperator: 'GreaterThanThreshold' };
    expect(Properties).toMatchObject({ ...above, ...watches });
    expect(targetOf(Properties.Dimensions[0].Value)).toBe(functionNamed(name).id);
  });

  it("uses the stage's model endpoint, or Bedrock by default", () => {
    for (const [app, url] of [
      [prod, undefined],
      [local, 'http://127.0.0.1:9002'],
    ] as const)
      for (const lambda of functionsOf(app)) {
        const { MODEL_ID, AWS_ENDPOINT_URL_BEDROCK_RUNTIME } = lambda.Properties.Environment.Variables;
        expect([nameOf(lambda), AWS_ENDPOINT_URL_BEDROCK_RUNTIME]).toEqual([nameOf(lambda), MODEL_ID && url]);
      }
  });

  it('receives no secret, only its location', () => {
    for (const app of [prod, local])
      for (const lambda of functionsOf(app)) {
        const variables: Record<string, unknown> = lambda.Properties.Environment.Variables;
        expect(JSON.stringify(variables)).not.toContain('resolve:');
        for (const name of Object.keys(variables)) {
          if (!/SECRET|KEY|TOKEN|PASSWORD/.test(name) || name === 'SHOW_FIRST_PASSWORDS') continue;
          expect([name, /_(ID|TABLE)$/.test(name)]).toEqual([name, true]);
        }
      }
  });
});

describe('the concurrency of the account', () => {
  it('is reserved for requested analyses and uploads if a stage sets it, so that they use no more', () => {
    const reservedIn = (app: Synthesized) =>
      app
        .ofType('AWS::Lambda::Function')
        .filter(({ Properties }) => Properties.ReservedConcurrentExecutions !== undefined)
        .map((one) => [nameOf(one), one.Properties.ReservedConcurrentExecutions]);
    expect(reservedIn(disposable).sort()).toEqual(
      ['add-knowledge', 'analyze-call', 'repeat-analysis', 'upload-knowledge'].map((name) => [name, 7]),
    );
    expect(reservedIn(prod)).toEqual([]);
  });
});
