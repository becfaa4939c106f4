import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { stackParts } from '../../../bin/admin/cloud/failed-stacks.ts';
import { DataStack } from '../../../lib/stacks/data.ts';
import { MessagingStack } from '../../../lib/stacks/messaging.ts';
import { local } from '../support/stages/local.ts';
import { only, prod } from '../support/stages/prod.ts';
import { aStage, type Resource, type Synthesized, unchecked } from '../support/synthesize.ts';

const needsOf = (part: string) => (prod.app.node.findChild(part) as Stack).dependencies.map(({ node }) => node.id);

/** Lists the outputs of these stacks that a template reads. */
function outputsReadBy(template: object, parts: readonly string[]): string[] {
  const ofParts = parts.map((part) => `calling-service-prod-${part}`);
  const outputs: string[] = [];
  JSON.stringify(template, (key, value) => {
    if (key === 'Fn::GetStackOutput' && ofParts.includes(value.StackName)) outputs.push(value.OutputName);
    return value;
  });
  return outputs;
}

describe('the stage', () => {
  it('consists of eight stacks, two for requested certificates, and one with the role of a repository that deploys them', () => {
    const always = ['api', 'dashboard', 'data', 'edge', 'messaging', 'observability', 'pages', 'workers'];
    const ofSettings = ['certificates', 'dashboard-certificate', 'deployer'];
    expect([...prod.stackNames].sort()).toEqual(
      [...always, ...ofSettings].sort().map((part) => `calling-service-prod-${part}`),
    );
  });

  it('has only stacks that stage repair knows, and repair removes a stack before those that it depends on', () => {
    expect([...prod.stackNames].sort()).toEqual(stackParts.map((part) => `calling-service-prod-${part}`).sort());
    for (const [place, part] of stackParts.entries()) {
      const later: readonly string[] = stackParts.slice(place + 1);
      expect([part, needsOf(part).filter((id) => !later.includes(id))]).toEqual([part, []]);
    }
  });

  it('gets its workers before the routes that send them messages', () => {
    for (const routes of ['api', 'dashboard']) {
      expect(needsOf(routes)).toContain('workers');
      expect(needsOf('workers')).not.toContain(routes);
    }
  });

  it('gets its pages after the routes that they call, so that a failed deployment of routes leaves the former pages', () => {
    const uploads = prod.ofType('Custom::CDKBucketDeployment');
    expect(uploads.map(({ stack }) => stack)).toEqual(Array(2).fill('calling-service-prod-pages'));
    expect(needsOf('pages')).toEqual(expect.arrayContaining(['api', 'dashboard']));
    for (const part of stackParts) expect([part, needsOf(part)]).not.toEqual([part, expect.arrayContaining(['pages'])]);
  });

  it('keeps the files of its former pages, which people have open, at each upload and when an upload is removed', () => {
    const uploads = prod.ofType('Custom::CDKBucketDeployment').map(({ Properties }) => Properties);
    // Without the property, the CDK's function retains the files.
    expect(uploads.map(({ Prune, RetainOnDelete = true }) => [Prune, RetainOnDelete])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it('is identical on the local stage, except for values and canaries', () => {
    // The recipient of alarms, the budget and the public names are values that require resources of their own.
    const ofValues = [
      'AWS::SNS::Subscription',
      'AWS::Budgets::Budget',
      'AWS::ApiGatewayV2::DomainName',
      'AWS::ApiGatewayV2::ApiMapping',
      'AWS::CertificateManager::Certificate',
      'AWS::Route53::RecordSet',
    ];
    const ofCertificates = ({ Properties }: Resource) => Properties?.MetricName === 'DaysToExpiry';
    const ofCanaries = ({ Type, id }: Resource) =>
      /^AWS::(CodeDeploy::.*|Lambda::(Alias|Version))$/.test(Type) || /^(canariesrole|rolloutalarm)/.test(id);
    expect(local.resources.filter(ofCanaries)).toEqual([]);
    const shapeOf = ({ resources }: Synthesized, stage: string) =>
      resources
        .filter((resource) => !ofValues.includes(resource.Type) && !ofCanaries(resource) && !ofCertificates(resource))
        .map(({ stack, id, Type }) => `${stack.replace(`-${stage}-`, '-')} ${id} ${Type}`)
        .sort();
    expect(shapeOf(local, 'local')).toEqual(shapeOf(prod, 'prod'));
  });

  it('mails its alarms to the configured address', () => {
    const mailed = { Properties: { Protocol: 'email', Endpoint: 'alarms@example.com' } };
    expect(prod.ofType('AWS::SNS::Subscription')).toMatchObject([mailed, mailed]);
  });

  it('has a monthly budget that mails before it is exceeded, if its settings contain one', () => {
    expect(local.ofType('AWS::Budgets::Budget')).toEqual([]);
    const { Properties } = only('AWS::Budgets::Budget');
    expect(Properties.Budget).toEqual({
      BudgetName: expect.stringMatching(/^calling-service-prod-budget-[0-9a-f]{8}$/),
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 40, Unit: 'USD' },
    });
    const told = Properties.NotificationsWithSubscribers.map(
      ({ Notification, Subscribers }: Record<string, Record<string, unknown>>) => [
        Notification?.NotificationType,
        Notification?.Threshold,
        Subscribers,
      ],
    );
    const mailed = [{ SubscriptionType: 'EMAIL', Address: 'alarms@example.com' }];
    expect(told).toEqual([
      ['ACTUAL', 80, mailed],
      ['ACTUAL', 100, mailed],
      ['FORECASTED', 100, mailed],
    ]);
  });
});

describe('every stack', () => {
  it('imports no exports of another one, because that stack could then neither change nor remove them', () => {
    const importing = (app: Synthesized) =>
      Object.keys(app.templates).filter((name) => JSON.stringify(app.templates[name]).includes('Fn::ImportValue'));
    expect([importing(prod), importing(local)]).toEqual([[], []]);
  });

  it('finds each value of data and messaging that it reads, even if no function of the deployed version reads it', () => {
    const app = new App(unchecked);
    const stage = aStage('prod');
    const data = new DataStack(app, 'data', { stage });
    const messaging = new MessagingStack(app, 'messaging', { stage, alarms: data.alarms });
    const published = [data, messaging].flatMap((stack) => Object.keys(Template.fromStack(stack).findOutputs('*')));
    const read = Object.values(prod.templates).flatMap((template) => outputsReadBy(template, ['data', 'messaging']));
    expect(read.length).toBeGreaterThan(50);
    expect(read.filter((output) => !published.includes(output))).toEqual([]);
  });

  it('has room for its resources', () => {
    for (const stack of prod.stackNames)
      expect([stack, prod.resources.filter((one) => one.stack === stack).length < 470]).toEqual([stack, true]);
  });
});
