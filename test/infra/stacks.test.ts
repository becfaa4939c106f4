import type { Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { stackParts } from '../../bin/admin/cloud/failed-stacks.ts';
import { rolloutOf } from '../../lib/constructs/rollout.ts';
import { type FunctionName, functionNames, functionRow } from '../../lib/functions.ts';
import { functionsWithoutId, idTouchedBy, namingFunctions } from '../../lib/named-ids.ts';
import { MOST_STAGE_CHARACTERS } from '../../lib/names.ts';
import { deployedName, queues } from '../../lib/queues.ts';
import { type TableName, tableRow, tables } from '../../lib/tables.ts';
import { busyUntil } from '../../shared/domain/calls/retention/erased-call.ts';
import { analysisCounters, endCounters } from '../../shared/domain/calls/usage/usage.ts';
import { METRIC_DIMENSION, measures, WORK_FAILED } from '../../shared/domain/metric.ts';
import { secondsBetween } from '../../shared/domain/time/instants.ts';
import { dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import type { Write } from '../../shared/stores/dynamodb/transaction.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { idleOf, unknownTypes } from '../bench/cost/idle.ts';
import { costOf } from '../bench/cost/prices.ts';
import { idleRows, pricesTable, runsRow } from '../bench/cost/tables.ts';
import { lint } from '../lint/cfn-lint.ts';
import { differences } from '../lint/differences.ts';
import { aCall } from '../unit/support/call.ts';
import { ORG } from '../unit/support/worlds/items.ts';
import { bundledCode, type Code } from './support/bundled-code.ts';
import { rightsInUse } from './support/rights-in-use.ts';
import { read } from './support/sources.ts';
import { aStage, haveBundles, type Resource, type Synthesized, synthesize, targetOf } from './support/synthesize.ts';
import { unusedRights } from './support/unused-rights.ts';

let prod: Synthesized;
let local: Synthesized;
let disposable: Synthesized;
let linted: ReturnType<typeof lint>;

beforeAll(async () => {
  await haveBundles();
  const options = {
    region: 'us-east-1',
    webFirewall: 'true',
    costlyAtOnce: '7',
    deployFrom: 'acme/calls',
  };
  const everyName = {
    publicNames: ['calls.example.com'],
    dashboardUrl: 'https://app.example.com',
    hostedZones: { 'example.com': 'Z0123456789ABCDEF' },
  };
  const ofProd = {
    ...options,
    ...everyName,
    mailFrom: 'notices@example.com',
    monthlyBudget: 40,
    multiRegionKeys: true,
  };
  prod = synthesize('prod', ofProd, { isValidated: true });
  disposable = synthesize('try', { isRetained: false });
  const others = Object.entries(disposable.templates).flatMap(([name, template]) => {
    const former = prod.templates[name.replace('-try-', '-prod-')];
    const different = differences(template, former, (text) => text.replaceAll('-try', '-prod'));
    return different ? [[name, different] as const] : [];
  });
  // Runs concurrently with the tests. One process lints both stages, because its start takes seconds of CPU time.
  linted = lint({ ...prod.templates, ...Object.fromEntries(others) }, 'us-east-1');
  linted.catch(() => undefined);
  local = synthesize('local', {
    voiceApiUrl: 'http://127.0.0.1:9001',
    publicUrl: 'http://127.0.0.1:8080',
    modelApiUrl: 'http://127.0.0.1:9002',
    ...options,
  });
}, 60_000);

/** A statement of a policy. */
type Right = {
  /** The id of the policy. */
  id: string;
  effect: string;
  actions: string[];
  /** The resources as JSON. */
  resources: string;
  condition: Record<string, Record<string, unknown>> | undefined;
};

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
/** Our functions, without the CDK's own function, which uploads the dashboard's pages. */
const functionsOf = (app: Synthesized) =>
  app.ofType('AWS::Lambda::Function').filter(({ id }) => !id.startsWith('CustomCDKBucketDeployment'));
const nameOf = (lambda: Resource): string => lambda.Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME;
/** Finds the only resource of a kind with this physical name: the stage's prefix and the given one. */
function prodNamed(type: string, property: string, name: string): Resource {
  const found = prod.ofType(type).filter(({ Properties }) => Properties[property] === `calling-service-prod-${name}`);
  if (found.length !== 1) throw new Error(`${found.length} resources ${name}`);
  return found[0] as Resource;
}
const functionNamed = (name: string) => prodNamed('AWS::Lambda::Function', 'FunctionName', name);
const alarmNamed = (name: string) => prodNamed('AWS::CloudWatch::Alarm', 'AlarmName', name);
const alarms = () => prod.ofType('AWS::CloudWatch::Alarm');
const rolloutAlarm = () => alarms().find(({ Properties }) => Properties.MetricName === WORK_FAILED.name) as Resource;
/** Finds the function that a trigger calls, by its alias or directly. */
function calledBy(from: Resource, reference: unknown): Resource | undefined {
  const called = prod.named(from, reference);
  return called?.Type === 'AWS::Lambda::Alias' ? prod.named(called, called.Properties.FunctionName) : called;
}
const rightsIn = (policies: Resource[]): Right[] =>
  policies.flatMap(({ id, Properties }) =>
    list(Properties.PolicyDocument.Statement).map(({ Effect, Action, Resource, Condition }) => ({
      ...{
        id,
        effect: Effect,
        actions: list<string>(Action),
        resources: JSON.stringify(Resource),
        condition: Condition,
      },
    })),
  );
const rightsOf = ({ stack, id }: Resource) =>
  rightsIn(
    prod
      .ofType('AWS::IAM::Policy')
      .filter(
        (policy) => policy.stack === stack && policy.Properties.Roles.some((role: unknown) => targetOf(role) === id),
      ),
  );
const isDeadLetters = (queue: Resource): boolean => queue.Properties.QueueName.endsWith('-dead-letters');
const takesLeads = (name: FunctionName): boolean => name.startsWith('receive-crm-');
/** The alarm of a function's failures, and what it watches if that is a metric of the function. */
function alarmOn(name: FunctionName): { alarm: string; watches?: object } {
  const of = (ending: string, watches: object) => ({ alarm: `${name}-${ending}`, watches });
  switch (functionRow(name).trigger.kind) {
    case 'queue':
      return of('errors', { MetricName: 'Errors', Statistic: 'Sum', Threshold: 0, EvaluationPeriods: 1 });
    case 'stream':
      return of('iterator-age', { MetricName: 'IteratorAge', Statistic: 'Maximum', Threshold: 60_000 });
    case 'schedule':
      return of('heartbeat', { MetricName: 'Errors', Statistic: 'Minimum', Threshold: 0 });
    default:
      return { alarm: takesLeads(name) ? 'LeadWebhookFailed' : 'RouteFailed' };
  }
}
const routesOf = (name: FunctionName): readonly string[] => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' ? trigger.routes : [];
};
const isBetween = (least: number, value: number, most: number) => least <= value && value <= most;
const mentions = (value: unknown, text: string) => JSON.stringify(value).includes(text);

describe('the stage', () => {
  it('consists of seven stacks, two for requested certificates, and one with the role of a repository that deploys them', () => {
    const always = ['api', 'dashboard', 'data', 'edge', 'messaging', 'observability', 'workers'];
    const ofSettings = ['certificates', 'dashboard-certificate', 'deployer'];
    expect([...prod.stackNames].sort()).toEqual(
      [...always, ...ofSettings].sort().map((part) => `calling-service-prod-${part}`),
    );
  });

  it('has only stacks that stage repair knows, and repair removes a stack before those that it depends on', () => {
    expect([...prod.stackNames].sort()).toEqual(stackParts.map((part) => `calling-service-prod-${part}`).sort());
    for (const [place, part] of stackParts.entries()) {
      const used = (prod.app.node.findChild(part) as Stack).dependencies.map(({ node }) => node.id);
      const later: readonly string[] = stackParts.slice(place + 1);
      expect([part, used.filter((id) => !later.includes(id))]).toEqual([part, []]);
    }
  });

  it('gets its workers before the routes that send them messages', () => {
    const needsOf = (part: string) => (prod.app.node.findChild(part) as Stack).dependencies.map(({ node }) => node.id);
    for (const routes of ['api', 'dashboard']) expect(needsOf(routes)).toContain('workers');
    expect(needsOf('workers')).not.toEqual(expect.arrayContaining(['api']));
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
    const ofCanaries = ({ Type, id }: Resource) =>
      /^AWS::(CodeDeploy::.*|Lambda::(Alias|Version))$/.test(Type) || /^(canariesrole|rolloutalarm)/.test(id);
    expect(local.resources.filter(ofCanaries)).toEqual([]);
    const shapeOf = ({ resources }: Synthesized, stage: string) =>
      resources
        .filter((resource) => !ofValues.includes(resource.Type) && !ofCanaries(resource))
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
    const [{ Properties }, ...others] = prod.ofType('AWS::Budgets::Budget') as [Resource, ...Resource[]];
    expect(others).toEqual([]);
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
    if (!functionRow(name).isCostly) expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
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
    const logging = rightsOf(role).filter(({ actions }) => actions.some((action) => action.startsWith('logs:')));
    const resources = JSON.stringify({ 'Fn::GetAtt': [targetOf(lambda.Properties.LoggingConfig.LogGroup), 'Arn'] });
    expect(logging).toMatchObject([{ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources }]);
  });

  it.each(functionNames)('%s has an alarm that is raised if it fails', (name) => {
    const { alarm, watches } = alarmOn(name);
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

describe('permissions', () => {
  const all = () => rightsIn(prod.ofType('AWS::IAM::Policy'));
  const ofFunction = (name: FunctionName) =>
    all().filter(({ id }) => id.startsWith(`${name.replaceAll('-', '')}parts`));
  const allowing = (rights: Right[], action: string) => rights.filter(({ actions }) => actions.includes(action));
  /** Lists the functions with a permission that matches, and their matching actions. */
  const whoMay = (pattern: RegExp) =>
    Object.fromEntries(
      functionNames.flatMap((name) => {
        const actions = ofFunction(name).flatMap((right) => right.actions.filter((action) => pattern.test(action)));
        return actions.length > 0 ? [[name, actions.sort()]] : [];
      }),
    );
  /** The attributes that the function may write, for each of its statements about a table. */
  const writable = (name: FunctionName, table: TableName) =>
    allowing(ofFunction(name), 'dynamodb:UpdateItem')
      .filter(({ resources }) => resources.toLowerCase().includes(`table${table.replaceAll('-', '')}`))
      .map(({ condition }) => condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as string[]);

  it('name every action', () => {
    expect(all().length).toBeGreaterThan(functionNames.length);
    for (const { id, actions, effect } of all())
      for (const action of actions)
        expect([id, effect, action]).toEqual([id, 'Allow', expect.stringMatching(/^[a-z0-9-]+:[A-Za-z]+$/)]);
  });

  it('name their resource', () => {
    const everywhere = all().filter(({ resources }) => resources.includes('"*"'));
    expect(everywhere.flatMap(({ actions }) => actions)).toEqual([]);
  });

  it('to pass a role and to create schedules belong, with conditions, to the functions that send delayed messages', () => {
    const scheduling = ['iam:PassRole', 'scheduler:CreateSchedule'];
    expect(whoMay(/^(iam|scheduler|sts):/)).toEqual({
      'notify-callback': scheduling,
      'schedule-release': scheduling,
      'create-ticket': scheduling,
    });
    for (const { condition } of allowing(all(), 'iam:PassRole'))
      expect(condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  });

  it('to unseal secrets belong to the functions that sign callbacks or connect to a CRM for an organization', () => {
    const tokens = ['kms:Decrypt', 'kms:Encrypt'];
    const sealing = (name: FunctionName) =>
      ofFunction(name)
        .filter(({ condition }) => !mentions(condition ?? {}, 'kms:ViaService'))
        .flatMap(({ actions }) => actions.filter((action) => action.startsWith('kms:')))
        .toSorted();
    const may = functionNames.map((name) => [name, sealing(name)] as const).filter(([, actions]) => actions.length > 0);
    expect(Object.fromEntries(may)).toEqual({
      'notify-callback': ['kms:Decrypt'],
      'reveal-callback-secret': ['kms:Decrypt'],
      'rotate-callback-secret': ['kms:Encrypt'],
      'connect-crm-b': tokens,
      'connect-help-desk': tokens,
      'process-lead': tokens,
      'dial-call': tokens,
      'sync-crm-b': tokens,
      'create-ticket': tokens,
      'renew-watch-channels': tokens,
      'check-watch-channels': tokens,
      'check-connections': ['kms:Decrypt'],
      'sunday-sweep': tokens,
      'explain-lead': ['kms:Decrypt'],
      'update-connection': tokens,
      'disconnect-connection': tokens,
      'replace-token': tokens,
      'confirm-consent': tokens,
      'refuse-consent': ['kms:Decrypt'],
      'list-choices': tokens,
    });
  });

  it('to read the key of erased numbers belong to the functions that use the do-not-call list', () => {
    const using = (actions: RegExp, resources: RegExp) =>
      functionNames.filter((name) =>
        ofFunction(name).some(
          (right) => right.actions.some((one) => actions.test(one)) && resources.test(right.resources),
        ),
      );
    const readers = using(/^secretsmanager:/, /do-not-call-key/);
    expect(readers).toHaveLength(12);
    expect(readers).toEqual(using(/^dynamodb:/, /tabledonotcall/i));
    expect(using(/^secretsmanager:/, /person-key/)).toEqual([]);
  });

  it('of explain-lead only read, so that an explanation changes no data', () => {
    const actions = ofFunction('explain-lead').flatMap((right) => right.actions);
    expect(actions.length).toBeGreaterThan(5);
    const reading = /^(dynamodb:(GetItem|BatchGetItem|Query)|kms:Decrypt|secretsmanager:GetSecretValue|logs:\w+)$/;
    expect(actions.filter((action) => !reading.test(action))).toEqual([]);
  });

  describe('are all used by the code of their function:', () => {
    let code: Awaited<ReturnType<typeof bundledCode>>;
    const unusedOf = (name: FunctionName, rights: Parameters<typeof unusedRights>[1]) =>
      unusedRights(name, rights, rightsInUse((code.get(name) as () => Code)()));

    beforeAll(async () => {
      code = await bundledCode(
        Object.fromEntries(functionNames.map((name) => [name, `functions/${functionRow(name).entry}.ts`])),
      );
    }, 60_000);

    it.each(functionNames)('%s', (name) => {
      expect(unusedOf(name, ofFunction(name))).toEqual([]);
    });

    it('are reported otherwise', () => {
      const actions = ['dynamodb:DeleteItem', 'dynamodb:Query', 'kms:Sign', 's3:GetObject', 'sqs:PurgeQueue'];
      // The function deletes claims.
      const others = ofFunction('process-lead').filter(({ resources }) => !resources.includes('tableclaims'));
      const planted = others.map((right) => ({ ...right, actions }));
      expect(unusedOf('process-lead', planted)).toEqual(
        others.flatMap(({ resources }) => actions.map((action) => `${action} ${resources}`)),
      );
    });
  });

  it("to create schedules cover only the group of the function's queue", () => {
    const groupOf = (name: FunctionName) =>
      allowing(ofFunction(name), 'scheduler:CreateSchedule').map(
        ({ resources }) => /:scheduler:.*OutputRef([a-z]+)schedules.*"\/\*"/.exec(resources)?.[1],
      );
    expect(groupOf('notify-callback')).toEqual(['callbacks']);
    expect(groupOf('schedule-release')).toEqual(['releases']);
    expect(groupOf('create-ticket')).toEqual(['tickets']);
  });

  it('to write a connection cover only the required attributes, never its owner, its assistant or its switch', () => {
    const health = ['connection_id', 'rejection', 'rejected_minutes', 'last_delivery_at', 'silent_since'];
    expect(writable('receive-crm-a-lead', 'connections')).toEqual([[...health, 'delivery_rhythm']]);
    expect(writable('check-connections', 'connections')).toEqual([
      ['connection_id', 'last_delivery_at', 'pending_consent', 'silent_since'],
    ]);
    expect(writable('receive-crm-b-notification', 'connections')).toEqual([
      [...health, 'catch_up_from', 'catch_up_to'],
    ]);
    // The help desk's organization is a setting, and the only one is chosen automatically.
    const choosing: readonly string[] = ['connect-help-desk', 'create-ticket', 'confirm-consent'];
    const ofPeople = ['auto_call', 'assistant_id', 'trigger_owner_user_id'];
    expect(writable('update-connection', 'connections')).toEqual([expect.arrayContaining(['settings', ...ofPeople])]);
    expect(writable('update-connection', 'connections').flat()).not.toContain('org_id');
    for (const name of functionNames.filter((each) => each !== 'update-connection'))
      for (const attributes of writable(name, 'connections')) {
        expect([name, attributes]).toEqual([name, expect.arrayContaining(['connection_id'])]);
        for (const own of ['org_id', ...ofPeople, ...(choosing.includes(name) ? [] : ['settings'])])
          expect([name, attributes]).not.toEqual([name, expect.arrayContaining([own])]);
      }
    expect(writable('connect-help-desk', 'connections')).toEqual([expect.arrayContaining(['settings', 'grant'])]);
  });

  it('to write a call let analyze-call store an analysis without reading other attributes', () => {
    const calls = callStore({} as never, 'calls');
    const analysis = { state: 'failed', error: 'x' } as const;
    const writes = [undefined, '2026-03-02T06:02:30.000Z'].flatMap((at) => {
      const call = aCall({
        status: 'completed',
        analyzed_at: at,
        do_not_call_at: at,
        callback_url: 'https://client.example',
      });
      const kept = { analysis, putsOnList: at === undefined };
      return [calls.analyzing(call, kept, call.created_at), calls.notingDoNotCall(call.call_id, call.created_at)];
    });
    const named = writes.flatMap(({ Update }) => [
      ...Object.values(Update?.ExpressionAttributeNames ?? {}),
      ...[...(Update?.ConditionExpression ?? '').matchAll(/exists\((\w+)\)/g)].map(([, name]) => name),
    ]);
    for (const name of ['analyze-call', 'repeat-analysis'] as const)
      expect(writable(name, 'calls').map((attributes) => attributes.toSorted())).toEqual([[...new Set(named)].sort()]);
    for (const { Update } of writes) expect(Update?.ReturnValuesOnConditionCheckFailure).toBe('NONE');
  });

  it('of the routes that change a call cover only its credit, its slots and the requested attempt', () => {
    expect(writable('stop-call', 'organizations')).toEqual([['org_id', 'available', 'held']]);
    expect(writable('stop-call', 'slots')).toEqual([['scope', 'live', 'moves']]);
    expect(writable('resend-callback', 'callbacks')).toEqual([
      [
        'call_id',
        'webhook_id',
        'state',
        'attempts',
        'asked',
        'next_attempt_at',
        'message_at',
        'put_off_since',
        'lease',
      ],
    ]);
  });

  it('to delete items from tables cover only claims, and the items of the one route that removes them', () => {
    const deleting = allowing(all(), 'dynamodb:DeleteItem');
    expect(deleting.length).toBeGreaterThan(0);
    const removing = {
      removememberparts: /tablemembers/i,
      removedonotcallparts: /tabledonotcall/i,
      deleteassistantparts: /tableassistants/i,
      revokekeyparts: /tableratelimits/i,
    };
    for (const { id, resources } of deleting) {
      const [, own = /tableclaims/i] = Object.entries(removing).find(([name]) => id.startsWith(name)) ?? [];
      expect(resources).toMatch(own);
    }
  });

  it('to act in the user pool belong to the routes of sessions and members, one pool each', () => {
    const signingIn = ['cognito-idp:AdminInitiateAuth'];
    expect(whoMay(/^cognito/)).toEqual({
      'sign-in': [...signingIn, 'cognito-idp:AdminRespondToAuthChallenge'],
      'refresh-session': signingIn,
      'sign-out': signingIn,
      'invite-member': ['cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser'],
      'remove-member': ['cognito-idp:AdminDeleteUser'],
    });
    for (const { resources } of all().filter(({ actions }) => actions.some((action) => /^cognito/.test(action))))
      expect(resources).toMatch(/people/);
  });

  it('to use the files’ key match the rights to their objects, and only through S3', () => {
    const of = (rights: Right[], pattern: RegExp) =>
      rights.flatMap(({ actions }) => actions.filter((action) => pattern.test(action)));
    for (const name of functionNames) {
      const rights = ofFunction(name);
      const onObjects = of(rights, /^s3:/);
      const reads = onObjects.some((action) => /GetObject|AbortMultipartUpload/.test(action));
      const puts = onObjects.includes('s3:PutObject');
      const throughKey = rights.filter(({ resources }) => /fileskey/.test(resources));
      expect([name, new Set(of(throughKey, /./))]).toEqual([
        name,
        new Set([...(reads ? ['kms:Decrypt'] : []), ...(puts ? ['kms:GenerateDataKey'] : [])]),
      ]);
      for (const { condition } of throughKey)
        expect([name, condition]).toEqual([
          name,
          {
            StringEquals: {
              'kms:ViaService': 's3.us-east-1.amazonaws.com',
              'kms:EncryptionContext:aws:s3:arn': expect.anything(),
            },
          },
        ]);
    }
  });

  it('to write the audit log only add entries', () => {
    const written = all().filter(({ resources }) => /tableaudit/i.test(resources));
    const actions = new Set(written.flatMap((right) => right.actions));
    expect(actions).toEqual(new Set(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']));
    const reading = written.filter((right) => right.actions.includes('dynamodb:GetItem'));
    for (const { actions: own, condition } of reading)
      expect([own, condition]).toEqual([
        ['dynamodb:GetItem'],
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#head'] } },
      ]);
  });

  it('to change or delete an entry of the audit log are denied to everyone, on the table itself', () => {
    const tablesWithPolicy = prod
      .ofType('AWS::DynamoDB::GlobalTable')
      .flatMap(({ Properties }) =>
        list<{ ResourcePolicy?: { PolicyDocument: { Statement: object[] } } }>(Properties.Replicas).map(
          ({ ResourcePolicy }) => ({
            name: Properties.TableName,
            statements: ResourcePolicy?.PolicyDocument.Statement,
          }),
        ),
      )
      .filter(({ statements }) => statements);
    expect(tablesWithPolicy).toEqual([
      {
        name: 'calling-service-prod-audit',
        statements: [
          {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: ['Update', 'Delete']
              .map((kind) => `dynamodb:${kind}Item`)
              .concat([
                'dynamodb:BatchWriteItem',
                'dynamodb:PartiQLInsert',
                'dynamodb:PartiQLUpdate',
                'dynamodb:PartiQLDelete',
              ]),
            Resource: '*',
          },
        ],
      },
    ]);
  });

  it('to write API keys only add a key, and revoke one', () => {
    const keys = functionNames.flatMap((name) =>
      ofFunction(name)
        .filter(({ resources }) => /tableapikeys/i.test(resources))
        .flatMap(({ actions }) => actions)
        .filter((action) => !/(GetItem|Query)$/.test(action))
        .map((action) => [name, action]),
    );
    expect(keys).toEqual([
      ['create-key', 'dynamodb:PutItem'],
      ['revoke-key', 'dynamodb:UpdateItem'],
    ]);
    expect(writable('revoke-key', 'api-keys')).toEqual([['key_hash', 'revoked_at', 'last_used_at']]);
  });

  it('to count usage only add to the counters of ends, or of analyses', () => {
    const ends = ['org_id', 'day', 'committed', ...endCounters];
    const analyses = ['org_id', 'day', ...analysisCounters];
    const counting = functionNames.filter((name) => writable(name, 'usage').length > 0);
    expect(counting).toEqual(expect.arrayContaining(['apply-voice-event', 'recover-calls', 'finish-call']));
    for (const name of counting)
      expect([[ends], [analyses]].map((list) => JSON.stringify(list))).toContain(
        JSON.stringify(writable(name, 'usage')),
      );
    const actions = all()
      .filter(({ resources }) => /tableusage/i.test(resources))
      .flatMap((right) => right.actions);
    // dial-call and the overview read the spend of a day.
    expect(new Set(actions.filter((action) => !/:(UpdateItem|Query)$/.test(action)))).toEqual(
      new Set(['dynamodb:GetItem']),
    );
  });

  const organizations = organizationStore({} as never, 'organizations');
  /** The attributes that an update names: in its key, its change and its conditions. */
  const namesIn = ({ Update }: Write) => {
    const { Key = {}, UpdateExpression = '', ConditionExpression = '', ExpressionAttributeNames = {} } = Update ?? {};
    const words = `${UpdateExpression} ${ConditionExpression}`.match(/[:#]?[a-z_]+(?![a-z_(])/g) ?? [];
    const named = words.filter((word) => !word.startsWith(':')).map((word) => ExpressionAttributeNames[word] ?? word);
    return [...new Set([...Object.keys(Key), ...named])].sort();
  };

  it('to move credit cover only an organization’s available and held credit', () => {
    const settling = namesIn(organizations.settling(ORG, { held: 1, cost: 1 }));
    const holding = namesIn(organizations.holding(ORG, 1));
    expect([settling, holding]).toEqual(Array(2).fill(['available', 'held', 'org_id']));

    const ofOthers = ['invite-member', 'change-role', 'remove-member', 'update-organization', 'rotate-callback-secret'];
    const writing = functionNames.filter(
      (name) => writable(name, 'organizations').length > 0 && !ofOthers.includes(name),
    );
    expect(Object.fromEntries(writing.map((name) => [name, writable(name, 'organizations').flat().sort()]))).toEqual({
      'place-call': holding,
      'process-lead': settling,
      'cancel-calls': settling,
      'dial-call': holding,
      'apply-voice-event': settling,
      'recover-calls': settling,
      'place-test-call': holding,
      'stop-call': settling,
    });
  });

  it('to check countries and claims of erased calls cover no item with credit, and no other claim', () => {
    const keysOf = ({ ConditionCheck }: Write) => Object.values(ConditionCheck?.Key ?? {});
    expect(keysOf(organizations.mayCall(ORG, 'IN'))).toEqual([expect.stringMatching(/#countries$/)]);
    const checking = allowing(ofFunction('dial-call'), 'dynamodb:ConditionCheckItem').map(
      ({ actions, resources, condition }) => [actions, /table(organizations|claims)/i.exec(resources)?.[1], condition],
    );
    const inPartitions = (keys: string) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } });
    expect(checking).toEqual([
      [['dynamodb:ConditionCheckItem'], 'organizations', inPartitions('*#countries')],
      [['dynamodb:ConditionCheckItem'], 'claims', inPartitions('*#erased#*')],
    ]);
    expect(namesIn(organizations.storingAllowedCountries(ORG, ['IN']))).toEqual(['countries', 'org_id']);
  });

  it("to change an organization cover only the members' changes and their consequences", () => {
    const wanted = { name: 'Acme', default_region: 'AE', platform_numbers: [], warn_below: 1, notices: undefined };
    // A former region stays on the list of countries.
    const stamp = { countries: ['IN'], revision: 2, updated_at: 'now', updated_by: 'priya@example.com' };
    const changed = namesIn(
      organizations.updating({ org_id: ORG, revision: 1 }, { ...wanted, ...stamp }, [
        ...(['requests_per_minute', 'outbound_per_minute', 'max_live_calls', 'max_wait_minutes', 'notices'] as const),
      ]),
    );
    expect(writable('update-organization', 'organizations').map((names) => names.toSorted())).toEqual([changed]);
  });

  it('to write an organization exclude its credit in the routes of members', () => {
    for (const name of ['invite-member', 'change-role'] as const)
      expect(writable(name, 'organizations')).toEqual([['org_id', 'owners', 'watched']]);
    expect(writable('remove-member', 'organizations')).toEqual([['org_id', 'owners']]);
    expect(writable('sign-out', 'members')).toEqual([['user_id', 'org_id', 'sessions_from']]);
    expect(writable('update-me', 'members')).toEqual([['user_id', 'org_id', 'name', 'phone', 'has_no_emails']]);
  });

  it('to send e-mails belong to send-notices, only as the stage’s sender, and send-notices writes only notices', () => {
    expect(whoMay(/^ses:/)).toEqual({ 'send-notices': ['ses:SendEmail'] });
    const [sending] = allowing(ofFunction('send-notices'), 'ses:SendEmail');
    expect(sending?.resources.match(/identity\/[^"]+/g)).toEqual([
      'identity/notices@example.com',
      'identity/example.com',
    ]);
    expect(sending?.condition).toEqual({ StringEquals: { 'ses:FromAddress': 'notices@example.com' } });
    const reading = /:(GetItem|BatchGetItem|Query)$/;
    const writing = ofFunction('send-notices').flatMap(({ actions, resources }) =>
      actions
        .filter((action) => action.startsWith('dynamodb:') && !reading.test(action))
        .map((action) => [action, /tablenotices/i.test(resources)]),
    );
    expect(writing).toEqual([['dynamodb:PutItem', true]]);
  });

  it('to send e-mails exist on no stage without a sender', () => {
    const policies = rightsIn(local.ofType('AWS::IAM::Policy'));
    expect(policies.flatMap(({ actions }) => actions)).not.toContain('ses:SendEmail');
    const senders = functionsOf(local).filter(({ Properties }) => 'MAIL_FROM' in Properties.Environment.Variables);
    expect(senders).toEqual([]);
  });

  it('never include scanning or deleting tables', () => {
    for (const forbidden of ['dynamodb:Scan', 'dynamodb:DeleteTable']) expect(allowing(all(), forbidden)).toEqual([]);
  });

  it('to delete files cover the texts of knowledge bases, and transcripts where workers store them', () => {
    expect(whoMay(/^s3:DeleteObject/)).toEqual({
      'add-knowledge': ['s3:DeleteObject'],
      'apply-voice-event': ['s3:DeleteObject', 's3:DeleteObject'],
      'delete-assistant': ['s3:DeleteObject'],
      'recover-calls': ['s3:DeleteObject'],
      'remove-knowledge': ['s3:DeleteObject'],
      'upload-knowledge': ['s3:DeleteObject'],
    });
    for (const { resources } of allowing(all(), 's3:DeleteObject'))
      expect(resources).toMatch(/(knowledge|transcripts)\/\*/);
  });

  it('to tag files for a lifecycle rule belong to the functions that store them', () => {
    expect(Object.keys(whoMay(/^s3:PutObjectTagging/)).sort()).toEqual(
      ['apply-voice-event', 'finish-call', 'recover-calls'].sort(),
    );
    for (const { resources } of allowing(all(), 's3:PutObjectTagging'))
      expect(resources).toMatch(/(transcripts|recordings)\/\*/);
  });

  it('to write an assistant cover the definition in one route, and the knowledge base in the routes of files', () => {
    const knowledge = [['assistant_id', 'org_id', 'knowledge_base']];
    for (const name of ['upload-knowledge', 'add-knowledge', 'remove-knowledge'] as const)
      expect(writable(name, 'assistants')).toEqual(knowledge);
    expect(writable('update-assistant', 'assistants').flat()).toEqual(
      expect.not.arrayContaining(['knowledge_base', 'created_at']),
    );
  });

  it('to invoke a function belong only to its route or its schedule', () => {
    const permissions = prod.ofType('AWS::Lambda::Permission');
    expect(permissions.length).toBeGreaterThan(0);
    for (const { Properties } of permissions) {
      expect(['apigateway.amazonaws.com', 'events.amazonaws.com']).toContain(Properties.Principal);
      expect(Properties.SourceArn).toBeDefined();
    }
  });

  it("of the schedules' role only allow sending messages to one queue of this account", () => {
    const role = prod
      .ofType('AWS::IAM::Role')
      .find(({ Properties }) => mentions(Properties, 'scheduler.amazonaws.com')) as Resource;
    expect(role.Properties.AssumeRolePolicyDocument.Statement[0].Condition).toEqual({
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    });
    const actions = rightsOf(role).flatMap((right) => right.actions);
    expect(actions.sort()).toEqual(['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage']);
  });
});

describe('every queue', () => {
  const all = () => prod.ofType('AWS::SQS::Queue');

  it('is encrypted and refuses requests without TLS', () => {
    expect(all().length).toBeGreaterThan(Object.keys(queues).length);
    for (const queue of all()) {
      expect([queue.id, queue.Properties.SqsManagedSseEnabled]).toEqual([queue.id, true]);
      const policies = prod
        .ofType('AWS::SQS::QueuePolicy')
        .filter(
          ({ stack, Properties }) =>
            stack === queue.stack && Properties.Queues.some((q: unknown) => targetOf(q) === queue.id),
        );
      expect(policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });

  it('keeps its deployed name and its place in the stack when it is renamed, so that its messages stay', () => {
    const ids = ['leads', 'leads-dead-letters'].map((name) => prodNamed('AWS::SQS::Queue', 'QueueName', name).id);
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
    const ofRuns = functionNames.flatMap((name) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'schedule' && 'everyMinutes' in trigger ? [name] : [];
    });
    for (const name of ofRuns) expect(alarmNamed(alarmOn(name).alarm).Properties.MetricName).toBe('Errors');
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
    const workers = functionNames.flatMap((name) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'queue' ? [{ name, queue: trigger.queue }] : [];
    });
    expect(workers.map(({ queue }) => queue).sort()).toEqual(Object.keys(queues).sort());
    for (const { name, queue } of workers)
      expect(
        prodNamed('AWS::SQS::Queue', 'QueueName', deployedName(queue)).Properties.VisibilityTimeout,
      ).toBeGreaterThanOrEqual(6 * functionNamed(name).Properties.Timeout);
  });
});

describe('every alarm', () => {
  const isHeartbeat = ({ Properties }: Resource) => Properties.AlarmName.endsWith('-heartbeat');

  it('notifies its severity’s topic when it begins and when it ends, unless only CodeDeploy reads it', () => {
    for (const alarm of alarms().filter((one) => one.id !== rolloutAlarm().id)) {
      const { AlarmActions, OKActions, AlarmDescription, TreatMissingData } = alarm.Properties;
      const [, severity] = /^(Urgent|Warning): /.exec(AlarmDescription) ?? [];
      expect([alarm.id, severity, AlarmActions.length]).toEqual([alarm.id, expect.any(String), 1]);
      // The reference names the logical id of the topic.
      const topic = severity === 'Urgent' ? /alarms[A-Z0-9]/ : /warnings[A-Z0-9]/;
      expect([alarm.id, JSON.stringify(AlarmActions)]).toEqual([alarm.id, expect.stringMatching(topic)]);
      expect([alarm.id, OKActions]).toEqual([alarm.id, AlarmActions]);
      expect([alarm.id, TreatMissingData]).toEqual([alarm.id, isHeartbeat(alarm) ? 'breaching' : 'notBreaching']);
    }
  });

  it('reaches its topic, because CloudWatch may publish there for this account', () => {
    const topics = prod.ofType('AWS::SNS::Topic');
    expect(topics).toHaveLength(2);
    for (const { stack, id } of topics) {
      const policies = prod
        .ofType('AWS::SNS::TopicPolicy')
        .filter((one) => one.stack === stack && one.Properties.Topics.some((topic: unknown) => targetOf(topic) === id));
      expect(policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toContainEqual(
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Resource: { Ref: id },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
    }
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
        name.replace(/^(FUNCTION|QUEUE|ROLLOUT)-/, ''),
      );
      expect([ending, title, names.some((name) => ending.endsWith(name))]).toEqual([ending, title, true]);
    }
  });

  it('of a schedule is raised if its runs are missing, or if all of them fail', () => {
    const schedules = functionNames.flatMap((name) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'schedule' ? [{ name, trigger }] : [];
    });
    expect(schedules.length).toBeGreaterThan(3);
    expect(alarms().filter(isHeartbeat)).toHaveLength(schedules.length);
    for (const { name, trigger } of schedules) {
      const { Period, EvaluationPeriods, ...others } = alarmNamed(`${name}-heartbeat`).Properties;
      expect(others).toMatchObject({
        Namespace: 'AWS/Lambda',
        // Each run writes 0 or 1: the least of a period is 0 if one of its runs has succeeded.
        MetricName: 'Errors',
        Statistic: 'Minimum',
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
      });
      expect(others.DatapointsToAlarm).toBeUndefined();
      // This is the alarm that a person receives; there is no other.
      expect(others.AlarmDescription).not.toMatch(/error alarm|rings/i);
      expect(targetOf(others.Dimensions[0].Value)).toBe(functionNamed(name).id);
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

  /** Lines reach the access log up to some minutes late, and an alarm does not look at a period again. */
  const lookingBack = { Period: 60, EvaluationPeriods: 5, DatapointsToAlarm: 1 };

  /** The access log filter that feeds a metric, and the routes that it names. */
  function failuresIn(metric: string) {
    const filter = prod
      .ofType('AWS::Logs::MetricFilter')
      .find(({ Properties }) => Properties.MetricTransformations[0].MetricName === metric) as Resource;
    const { FilterPattern, MetricTransformations, LogGroupName } = filter.Properties;
    expect(prod.named(filter, LogGroupName)?.Properties.LogGroupName).toContain('/aws/vendedlogs/');
    const found = [...FilterPattern.matchAll(/\$\.route !?= "([^"]+)"/g)];
    return { FilterPattern, MetricTransformations, routes: found.map(([, route]): string => route) };
  }

  it('of the webhooks of CRMs is raised with the first answer that may be a lost lead', () => {
    const { FilterPattern, MetricTransformations, routes } = failuresIn('LeadWebhookFailed');
    const leads: FunctionName[] = ['receive-crm-a-lead', 'receive-crm-b-notification'];
    expect(routes).toEqual(leads.flatMap(routesOf));
    expect(FilterPattern).toMatch(/^\{ \(\$\.status = "5\*" \|\| \$\.status = "429"\) && \(.*\) \}$/);
    const [{ MetricNamespace, MetricName, MetricValue }] = MetricTransformations;
    expect([MetricNamespace, MetricValue]).toEqual(['CallingService/prod', '1']);
    expect(alarmNamed('LeadWebhookFailed').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Threshold: 0,
      ...lookingBack,
    });
  });

  /** Applies a filter of JSON lines, without nested parentheses, to a line of the access log. */
  function isCounted(pattern: string, line: Readonly<Record<string, string>>): boolean {
    const results = pattern.slice(2, -2).replace(/\$\.(\w+) (!?=) "([^"]*)"/g, (_, field, operator, value) => {
      const found = line[field] ?? '';
      const isEqual = value.endsWith('*') ? found.startsWith(value.slice(0, -1)) : found === value;
      return String(isEqual === (operator === '='));
    });
    const isAny = (text: string) => text.split(' || ').some((one) => one.split(' && ').every((all) => all === 'true'));
    return isAny(results.replace(/\(([^()]*)\)/g, (_, inner) => String(isAny(inner))));
  }

  it('of routes is raised with the first 5xx, except for CRM webhooks and answers that clients repeat', () => {
    const { FilterPattern, MetricTransformations } = failuresIn('RouteFailed');
    const expected: Partial<Record<FunctionName, string[]>> = {
      'place-call': ['503'],
      'analyze-call': ['502', '503'],
      'repeat-analysis': ['502', '503'],
    };
    for (const name of functionNames)
      for (const route of routesOf(name)) {
        const counted = ['200', '429', '500', '502', '503', '504'].filter((status) =>
          isCounted(FilterPattern, { route, status }),
        );
        const failures = ['500', '502', '503', '504'].filter((status) => !expected[name]?.includes(status));
        expect([route, counted]).toEqual([route, takesLeads(name) ? [] : failures]);
      }
    // The CloudWatch Logs API's limit.
    expect(FilterPattern.length).toBeLessThanOrEqual(1024);
    const [{ MetricNamespace, MetricName }] = MetricTransformations;
    expect(alarmNamed('RouteFailed').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Threshold: 0,
      ...lookingBack,
    });
  });

  it('of unauthenticated requests counts the gateway’s refusals in the metric of the functions', () => {
    const { FilterPattern, MetricTransformations } = failuresIn('NotAuthenticated');
    expect(FilterPattern).toBe('{ $.status = "401" && $.integration_status = "-" }');
    const [{ MetricNamespace, MetricName, MetricValue, Dimensions }] = MetricTransformations;
    expect([MetricValue, Dimensions]).toEqual(['1', [{ Key: 'service', Value: '$.service' }]]);
    const [{ AccessLogSettings }] = prod.ofType('AWS::ApiGatewayV2::Stage').map(({ Properties }) => Properties);
    const { service, status, integration_status } = JSON.parse(AccessLogSettings.Format);
    expect([status, integration_status]).toEqual(['$context.status', '$context.integration.status']);
    expect(alarmNamed('NotAuthenticated').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Dimensions: [{ Name: 'service', Value: service }],
      Statistic: 'Sum',
      Period: 300,
      Threshold: 100,
    });
  });

  it('is included in the number that docs/deploy.md states', () => {
    const [, said] = /(\d+) alarms/.exec(read('docs/deploy.md')) ?? [];
    expect(Number(said)).toBe(alarms().length);
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
});

describe('the objectives', () => {
  type Query = { Id: string; Expression?: string; MetricStat?: MetricStat };
  type MetricStat = { Stat: string; Period: number; Metric: { MetricName: string } };
  const burning = () => alarms().filter(({ Properties }) => /-(fast|slow)$/.test(Properties.AlarmName));
  const alarmsOn = (objective: string) =>
    burning()
      .filter(({ Properties }) => Properties.AlarmName.includes(`-${objective}-`))
      .map(({ Properties }) => Properties);
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
    const [board, ...others] = prod.ofType('AWS::CloudWatch::Dashboard');
    expect(others).toEqual([]);
    const body = JSON.stringify(board?.Properties.DashboardBody);
    for (const name of Object.keys(measures)) expect(body).toContain(name);
    for (const name of Object.keys(queues))
      expect(body).toContain(`calling-service-prod-${deployedName(name)}-dead-letters`);
    for (const { id } of burning()) expect(body).toContain(id);
  });

  it('are searched for on the board in a quoted namespace, because the name of a stage may contain a dash', () => {
    const body = JSON.stringify(prod.ofType('AWS::CloudWatch::Dashboard')[0]?.Properties.DashboardBody);
    expect(body.match(/SEARCH\('\{[^}]*\}/g)?.map((search) => search.replaceAll('\\', ''))).toEqual([
      `SEARCH('{"CallingService/prod",service,status}`,
    ]);
  });
});

describe('the query that follows a call', () => {
  const queries = () => prod.ofType('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);

  it('reads the access log and the log of every function that works on a call, within the limit of a query', () => {
    const groups = new Set(prod.ofType('AWS::Logs::LogGroup').map(({ Properties }) => Properties.LogGroupName));
    const names: string[] = queries().flatMap(({ LogGroupNames }) => LogGroupNames);
    expect(names.filter((name) => !groups.has(name))).toEqual([]);
    expect(names).toContain('/aws/vendedlogs/apigateway/calling-service-prod-http');
    expect(names.filter((name) => name.startsWith('/aws/lambda/')).map((name) => name.slice(33))).toEqual([
      ...namingFunctions,
    ]);
    expect(names.length).toBeLessThanOrEqual(50);
  });

  it('leaves out functions that work on no call, each with a reason, and only if their rights suggest otherwise', () => {
    const leftOut = Object.keys(functionsWithoutId) as FunctionName[];
    expect(leftOut.filter((name) => idTouchedBy(name) === undefined)).toEqual([]);
    expect(namingFunctions.filter((name) => leftOut.includes(name))).toEqual([]);
  });

  it('names the placeholders, oldest line first', () => {
    const words = /like "CALL_ID" or @message like "REQUEST_ID"\n\| sort @timestamp asc/;
    expect(queries().map(({ QueryString }) => QueryString)).toEqual([expect.stringMatching(words)]);
  });
});

describe('every event source', () => {
  const mappings = (isStream: boolean) =>
    prod
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => (Properties.StartingPosition !== undefined) === isStream);

  it('supports partial batch failures', () => {
    for (const { Properties } of [...mappings(true), ...mappings(false)])
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  it('that is a queue has a maximum concurrency', () => {
    expect(mappings(false)).toHaveLength(Object.keys(queues).length);
    for (const { Properties } of mappings(false))
      expect(Properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
  });

  describe("and Lambda's detection of recursive loops", () => {
    const receives = (name: FunctionName) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'queue' ? trigger.queue : undefined;
    };
    const sendsTo = (name: FunctionName) =>
      Object.values(functionRow(name).uses).flatMap((use) => (use.kind === 'queueUrl' ? [use.queue] : []));
    const isAllowed = (name: FunctionName) => functionNamed(name).Properties.RecursiveLoop === 'Allow';
    const workers = functionNames.filter((name) => receives(name));
    /** Every function that the messages of this function reach, through any number of queues. */
    const reachedFrom = (name: FunctionName, found = new Set<FunctionName>()): Set<FunctionName> => {
      for (const next of workers.filter((worker) => sendsTo(name).includes(receives(worker) as never)))
        if (!found.has(next)) reachedFrom(next, found.add(next));
      return found;
    };

    it('allows self-invocation to exactly the functions that send to their own queue; our deadlines limit their chains', () => {
      const own = functionNames.filter((name) => sendsTo(name).includes(receives(name) as never));
      expect(own).toEqual(expect.arrayContaining(['dial-call', 'finish-call', 'sync-crm-b', 'create-ticket']));
      expect(functionNames.filter(isAllowed)).toEqual(own);
      for (const name of functionNames)
        expect([undefined, 'Allow']).toContain(functionNamed(name).Properties.RecursiveLoop);
    });

    it('ends no loop through other functions, because each function of the loop may invoke itself', () => {
      expect(reachedFrom('dial-call')).toContain('hand-over-slots');
      for (const name of workers.filter((worker) => reachedFrom(worker).has(worker)))
        expect([name, isAllowed(name)]).toEqual([name, true]);
    });

    it('raises the alarm if it ends a function of a queue', () => {
      const watched = alarms().filter(({ Properties }) => Properties.MetricName === 'RecursiveInvocationsDropped');
      expect(watched.map(({ Properties }) => Properties.AlarmName).sort()).toEqual(
        workers
          .filter((name) => !isAllowed(name))
          .map((name) => `calling-service-prod-${name}-loop`)
          .sort(),
      );
      expect(watched).not.toEqual([]);
      for (const { Properties } of watched)
        expect(Properties).toMatchObject({ Namespace: 'AWS/Lambda', Threshold: 0, EvaluationPeriods: 1 });
    });
  });

  it('that is a stream limits its retries and stores the batches that it gives up', () => {
    const streamed = Object.keys(tables).filter((name) => tableRow(name as TableName).hasStream);
    expect(mappings(true)).toHaveLength(streamed.length);
    for (const { Properties } of mappings(true)) {
      const { MaximumRetryAttempts, MaximumRecordAgeInSeconds, DestinationConfig, EventSourceArn } = Properties;
      expect(Properties).toMatchObject({ BisectBatchOnFunctionError: true, StartingPosition: 'TRIM_HORIZON' });
      expect(isBetween(1, MaximumRetryAttempts, 10)).toBe(true);
      expect(isBetween(1, MaximumRecordAgeInSeconds, 24 * 3600 - 1)).toBe(true);
      const [, failures = ''] =
        /(\w+)streamfailures/.exec(JSON.stringify(DestinationConfig.OnFailure.Destination)) ?? [];
      expect(failures).not.toBe('');
      expect(mentions(EventSourceArn, `table${failures.replace(/^.*Att/, '')}`)).toBe(true);
    }
  });

  it('that is a stream raises the alarm if it lags', () => {
    const lagging = alarms().filter(({ Properties }) => Properties.MetricName === 'IteratorAge');
    expect(lagging.map(({ Properties }) => targetOf(Properties.Dimensions[0].Value))).toEqual(
      mappings(true).map((mapping) => calledBy(mapping, mapping.Properties.FunctionName)?.id),
    );
  });
});

describe('a canary', () => {
  const kindOf = (name: FunctionName) => functionRow(name).trigger.kind;
  const hasEventSource = (name: FunctionName) => kindOf(name) === 'queue' || kindOf(name) === 'stream';
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
      [alarmOn(name).alarm, ...(hasEventSource(name) ? ['work-failed', 'DoubleDial'] : ['http-5xx'])].sort(),
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
      const { ROLLOUT, POWERTOOLS_METRICS_NAMESPACE } = variablesOf(name);
      expect([name, ROLLOUT]).toEqual([name, hasEventSource(name) ? rollout : undefined]);
      expect(POWERTOOLS_METRICS_NAMESPACE).toBe(Namespace);
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
      const [reading, ...shifting] = rightsOf(role);
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

describe('every template', () => {
  const isOfTry = ({ at }: { at: string }) => at.startsWith('calling-service-try-');

  it('has no error and no unexplained warning of cfn-lint', async () => {
    expect((await linted)?.filter((finding) => !isOfTry(finding)) ?? []).toEqual([]);
  });

  it('has no such finding for a disposable stage either', async () => {
    expect((await linted)?.filter(isOfTry) ?? []).toEqual([]);
  });
});

/** The longest name that AWS accepts, in characters, by the property that sets it; and the vendor's document. */
const limits: Record<string, number> = {
  'AWS::ApiGatewayV2::DomainName DomainName': 512,
  'AWS::CertificateManager::Certificate DomainName': 64,
  'AWS::ApiGatewayV2::Api Name': 128,
  'AWS::ApiGatewayV2::Authorizer Name': 128,
  'AWS::ApiGatewayV2::Stage StageName': 128,
  'AWS::CloudFront::Function Name': 64,
  'AWS::CloudWatch::Alarm AlarmName': 255,
  'AWS::CloudWatch::Alarm MetricName': 255,
  'AWS::CloudWatch::Dashboard DashboardName': 255,
  'AWS::CodeDeploy::Application ApplicationName': 100,
  'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName': 100,
  'AWS::CodeDeploy::DeploymentGroup DeploymentGroupName': 100,
  'AWS::Cognito::UserPool UserPoolName': 128,
  'AWS::DynamoDB::GlobalTable TableName': 255,
  'AWS::Events::EventBus Name': 256,
  'AWS::IAM::Policy PolicyName': 128,
  'AWS::IAM::Role RoleName': 64,
  'AWS::KMS::Alias AliasName': 256,
  'AWS::Lambda::Alias Name': 128,
  'AWS::Lambda::Function FunctionName': 64,
  'AWS::Logs::LogGroup LogGroupName': 512,
  'AWS::Logs::QueryDefinition Name': 255,
  'AWS::Route53::RecordSet Name': 1024,
  'AWS::SQS::Queue QueueName': 80,
  'AWS::SecretsManager::Secret Name': 512,
  'AWS::WAFv2::WebACL Name': 128,
};

describe('every stack', () => {
  it('imports no exports of another one, because that stack could then neither change nor remove them', () => {
    const importing = (app: Synthesized) =>
      Object.keys(app.templates).filter((name) => JSON.stringify(app.templates[name]).includes('Fn::ImportValue'));
    expect([importing(prod), importing(local)]).toEqual([[], []]);
  });
});

it('generates the names of schedule groups, because a group outlives its stack and would block a new one', () => {
  const groups = prod.ofType('AWS::Scheduler::ScheduleGroup').map(({ Properties }) => Properties?.Name);
  expect(groups).toEqual([undefined, undefined, undefined]);
});

describe('every name', () => {
  const named = () =>
    prod.resources.flatMap(({ Type, Properties }) =>
      Object.entries<unknown>(Properties ?? {}).flatMap(([property, value]) =>
        /Name$/.test(property) && typeof value === 'string' ? [{ of: `${Type} ${property}`, value }] : [],
      ),
    );

  it('has room for the longest name of a stage', () => {
    for (const { of, value } of named()) {
      const longest = value.replace('prod', 'x'.repeat(MOST_STAGE_CHARACTERS));
      expect([of, value, longest.length <= (limits[of] ?? 0)]).toEqual([of, value, true]);
    }
    for (const stack of prod.stackNames) expect(stack.length - 4 + MOST_STAGE_CHARACTERS).toBeLessThanOrEqual(128);
  });

  it('that AWS limits belongs to a resource, so that no limit is obsolete', () => {
    const found = new Set(named().map(({ of }) => of));
    expect(Object.keys(limits).filter((of) => !found.has(of))).toEqual([]);
  });

  it('of a stage is at most as long as the longest function name allows', () => {
    const longest = Math.max(...functionNames.map((name) => name.length));
    expect('calling-service-'.length + MOST_STAGE_CHARACTERS + '-'.length + longest).toBeLessThanOrEqual(64);
    expect(() => synthesize('x'.repeat(MOST_STAGE_CHARACTERS + 1))).toThrow('name');
  });
});

describe('off the local stage', () => {
  const kept = [
    'AWS::DynamoDB::GlobalTable',
    'AWS::S3::Bucket',
    'AWS::SecretsManager::Secret',
    'AWS::KMS::Key',
    'AWS::Cognito::UserPool',
  ];

  it('tables, files, secrets, keys and people survive the deletion of their stack', () => {
    for (const type of kept) {
      expect(prod.ofType(type).length).toBeGreaterThan(0);
      for (const { id, DeletionPolicy, UpdateReplacePolicy } of prod.ofType(type))
        expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, expect.stringMatching(/^Retain/), 'Retain']);
    }
  });

  it('tables are protected from deletion and have point-in-time recovery', () => {
    const safe = {
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    };
    for (const { id, Properties } of prod.ofType('AWS::DynamoDB::GlobalTable'))
      for (const replica of Properties.Replicas) expect([id, replica]).toEqual([id, expect.objectContaining(safe)]);
  });

  it('the bucket is private, encrypted and versioned, and refuses requests without TLS', () => {
    for (const { Properties } of prod.ofType('AWS::S3::Bucket'))
      expect(Properties).toMatchObject({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: expect.anything(),
        VersioningConfiguration: { Status: 'Enabled' },
      });
    expect(mentions(prod.ofType('AWS::S3::BucketPolicy'), 'aws:SecureTransport')).toBe(true);
  });

  it('the files have a key of their own, which is used once for many objects', () => {
    const [files] = prod.ofType('AWS::S3::Bucket').filter(({ id }) => id.startsWith('files'));
    const [rule] = files?.Properties.BucketEncryption.ServerSideEncryptionConfiguration ?? [];
    expect(rule).toMatchObject({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: {
        SSEAlgorithm: 'aws:kms',
        KMSMasterKeyID: { 'Fn::GetAtt': [expect.stringMatching(/^fileskey/), 'Arn'] },
      },
    });
  });

  it('the bucket deletes a removed document of a knowledge base, and a removed long transcript, a day later', () => {
    const [bucket] = prod.ofType('AWS::S3::Bucket');
    const rules: Record<string, unknown>[] = bucket?.Properties.LifecycleConfiguration.Rules ?? [];
    for (const prefix of ['knowledge/', 'reported-transcripts/'])
      expect(rules.filter(({ Prefix }) => Prefix === prefix)).toMatchObject([
        { Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
      ]);
  });

  it('the bucket removes files after the days in their tag, with former versions a day later', () => {
    const [bucket] = prod.ofType('AWS::S3::Bucket');
    const rules: Record<string, unknown>[] = bucket?.Properties.LifecycleConfiguration.Rules ?? [];
    const tagged = rules.filter(({ TagFilters }) => TagFilters !== undefined);
    expect(tagged).toEqual(
      [7, 30, 90, 180, 365, 730].map((days) => ({
        Id: `kept-${days}-days`,
        Status: 'Enabled',
        TagFilters: [{ Key: 'retention-days', Value: String(days) }],
        ExpirationInDays: days,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      })),
    );
    expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)).toEqual(tagged);
  });

  it('the keys are rotated every year', () => {
    const renewed = { Properties: { EnableKeyRotation: true } };
    expect(prod.ofType('AWS::KMS::Key')).toMatchObject([renewed, renewed, renewed]);
  });

  it('stacks are protected from deletion', () => {
    expect(prod.isProtected).toEqual(prod.stackNames.map(() => true));
    expect(local.isProtected).toEqual(local.stackNames.map(() => false));
  });

  it('the local stage retains no resources', () => {
    for (const type of kept)
      for (const { id, DeletionPolicy } of local.ofType(type)) expect([id, DeletionPolicy]).toEqual([id, 'Delete']);
  });

  it('callbacks never reach this machine', () => {
    const allowed = (app: Synthesized) =>
      functionsOf(app).flatMap(({ Properties }) => Properties.Environment.Variables.ALLOW_LOOPBACK_CALLBACKS ?? []);
    expect(new Set(allowed(prod))).toEqual(new Set(['false']));
    expect(new Set(allowed(local))).toEqual(new Set(['true']));
  });

  it('generated keys are long, and templates contain no secret values', () => {
    for (const { Properties } of prod.ofType('AWS::SecretsManager::Secret')) {
      expect(Properties).not.toHaveProperty('SecretString');
      if (Properties.Name.endsWith('-key'))
        expect(Properties.GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(43);
    }
  });
});

/** Requests from one address in five minutes. */
const limitsOfFirewall = (name: string): number[] =>
  prod
    .ofType('AWS::WAFv2::WebACL')
    .flatMap(({ Properties }) => Properties.Rules)
    .flatMap(({ Name, Statement }) => (Name === name ? [Statement.RateBasedStatement.Limit] : []));

describe('the concurrency of the account', () => {
  it('is reserved for requested analyses and uploads if a stage sets it, so that they use no more', () => {
    const reserved = prod
      .ofType('AWS::Lambda::Function')
      .flatMap(({ Properties: { FunctionName, ReservedConcurrentExecutions: most } }) =>
        most === undefined ? [] : [[FunctionName.replace('calling-service-prod-', ''), most]],
      );
    expect(reserved.sort()).toEqual(
      ['add-knowledge', 'analyze-call', 'repeat-analysis', 'upload-knowledge'].map((name) => [name, 7]),
    );
  });
});

describe('the API', () => {
  it('has an access log with a retention period', () => {
    const [stage] = prod.ofType('AWS::ApiGatewayV2::Stage');
    const log = prod.named(stage as Resource, stage?.Properties.AccessLogSettings.DestinationArn);
    expect(log?.Properties.RetentionInDays).toBe(90);
    // CloudWatch Logs needs no entry for names below it in the account's policy, whose length is limited.
    expect(log?.Properties.LogGroupName).toBe('/aws/vendedlogs/apigateway/calling-service-prod-http');
  });

  it("limits each route separately from the first deployment on, far above the firewall's limit for one address", () => {
    const [{ Properties: stage } = { Properties: {} }] = prod.ofType('AWS::ApiGatewayV2::Stage');
    // API Gateway applies the default to each route, and refuses settings of a route that does not exist yet.
    expect(stage.RouteSettings).toBeUndefined();
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = stage.DefaultRouteSettings;
    const [perAddress = 0, ...others] = limitsOfFirewall('webhooks').map((requests) => requests / (5 * 60));
    expect([perAddress > 0, others]).toEqual([true, []]);
    expect(rate).toBeGreaterThanOrEqual(5 * perAddress);
    expect(burst).toBeGreaterThanOrEqual(rate);
  });

  it('has a firewall in front of its distribution if the stage sets it', () => {
    const [acl] = prod.ofType('AWS::WAFv2::WebACL');
    const [distribution] = prod.ofType('AWS::CloudFront::Distribution');
    expect(distribution?.Properties.DistributionConfig.WebACLId).toEqual({ 'Fn::GetAtt': [acl?.id, 'Arn'] });
    // biome-ignore lint/suspicious/noExplicitAny: rules of the template
    const rules: any[] = acl?.Properties.Rules;
    expect([acl?.Properties.Scope, rules.map(({ Priority }) => Priority)]).toEqual([
      'CLOUDFRONT',
      [0, 1, 2, 3, 4, 5, 6],
    ]);
    const limits = rules.flatMap(({ Name, Action, Statement: { RateBasedStatement: limit } }) =>
      limit ? [[Name, limit.Limit, limit.AggregateKeyType, Object.keys(Action)[0]]] : [],
    );
    expect(limits).toEqual([
      ['requests', 3_000, 'IP', 'Block'],
      ['webhooks', 60_000, 'IP', 'Block'],
      ['sessions', 500, 'IP', 'Block'],
    ]);
    expect(rules.flatMap(({ Statement }) => Statement.SizeConstraintStatement?.Size ?? [])).toEqual([8_192]);
    expect(rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement?.Name ?? [])).toEqual([
      'AWSManagedRulesCommonRuleSet',
      'AWSManagedRulesKnownBadInputsRuleSet',
      'AWSManagedRulesAmazonIpReputationList',
    ]);
    for (const { VisibilityConfig } of rules) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    // A token proves a delivery, so no rule about addresses or contents may refuse it.
    for (const { Name, Statement } of rules.filter(
      ({ Name }) => !['webhooks', 'sessions', 'long-queries'].includes(Name),
    ))
      expect([Name, JSON.stringify(Statement)]).toEqual([
        Name,
        expect.stringMatching(/"ScopeDownStatement":{"NotStatement":.*"SearchString":"\/api\/webhooks\/"/),
      ]);
  });

  it('logs the addresses of every request, even a refused one, but no query string, header, path or body', () => {
    const [stage] = prod.ofType('AWS::ApiGatewayV2::Stage');
    const format: string = stage?.Properties.AccessLogSettings.Format;
    const logged = [...format.matchAll(/\$context\.([\w.]+)/g)].map(([, name]) => name);
    const harmless = 'integration.status integrationErrorMessage requestId requestTime responseLatency routeKey status';
    expect(logged.sort().join(' ')).toBe(`identity.sourceIp ${harmless}`);
    expect(JSON.parse(format)).toMatchObject({ address: '$context.identity.sourceIp' });
  });

  it('keeps a route when its function is renamed, because a second route with its key is refused', () => {
    const ids = functionNames.map((name) => name.replaceAll('-', ''));
    const named = prod.ofType('AWS::ApiGatewayV2::Route').filter(({ id }) => ids.some((name) => id.includes(name)));
    expect(named).toEqual([]);
  });

  it('has the routes of the list', () => {
    const routes = prod.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
    const listed = functionNames.flatMap((name) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'http' ? trigger.routes : [];
    });
    expect(routes.sort()).toEqual(listed.sort());
  });

  it("answers before API Gateway's time-out of 30 seconds", () => {
    for (const name of functionNames)
      if (functionRow(name).trigger.kind === 'http') expect(functionNamed(name).Properties.Timeout).toBeLessThan(30);
  });
});

describe('the dashboard', () => {
  const only = (type: string) => {
    const found = prod.ofType(type);
    expect(found).toHaveLength(1);
    return (found[0] as Resource).Properties;
  };
  const distribution = () => only('AWS::CloudFront::Distribution').DistributionConfig;

  it('requires a token of its client on every route except the session’s', () => {
    const free = ['sign-in', 'refresh-session', 'sign-out', 'request-password-reset', 'reset-password'];
    const { JwtConfiguration, AuthorizerType } = only('AWS::ApiGatewayV2::Authorizer');
    expect([AuthorizerType, JwtConfiguration.Audience.length]).toEqual(['JWT', 1]);
    expect(mentions(JwtConfiguration.Issuer, 'cognito-idp')).toBe(true);
    const open = prod
      .ofType('AWS::ApiGatewayV2::Route')
      .filter(({ Properties }) => Properties.RouteKey.includes('/api/dashboard') && !Properties.AuthorizerId);
    const listed = Object.entries(dashboardRoutes).filter(([name]) => free.includes(name));
    expect(open.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(
      listed.map(([, { method, path }]) => `${method} /api/dashboard${path}`).sort(),
    );
    expect(listed.every(([, { role }]) => role === 'none')).toBe(true);
  });

  it('allows no registration, and gives a session 10 minutes at a time, for 7 days', () => {
    const pool = only('AWS::Cognito::UserPool');
    expect(pool).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      DeletionProtection: 'ACTIVE',
      MfaConfiguration: 'OPTIONAL',
      UsernameAttributes: ['email'],
      Policies: { PasswordPolicy: { MinimumLength: 12, TemporaryPasswordValidityDays: 7 } },
    });
    expect(only('AWS::Cognito::UserPoolClient')).toMatchObject({
      ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      GenerateSecret: false,
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      AccessTokenValidity: 10,
      RefreshTokenValidity: 10_080,
      TokenValidityUnits: { AccessToken: 'minutes', RefreshToken: 'minutes' },
    });
  });

  it('allows its pages only scripts, styles and connections of their own', () => {
    const { SecurityHeadersConfig, CustomHeadersConfig } = only(
      'AWS::CloudFront::ResponseHeadersPolicy',
    ).ResponseHeadersPolicyConfig;
    const csp = JSON.stringify(SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy);
    for (const directive of [
      "default-src 'none'",
      "script-src 'self';",
      "style-src 'self';",
      "connect-src 'self';",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(csp).toContain(directive);
    expect(csp).not.toMatch(/unsafe|'data:|\*/);
    expect(SecurityHeadersConfig).toMatchObject({
      ContentTypeOptions: { Override: true },
      FrameOptions: { FrameOption: 'DENY' },
      ReferrerPolicy: { ReferrerPolicy: 'same-origin' },
      StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000 },
    });
    expect(CustomHeadersConfig.Items.map(({ Header }: { Header: string }) => Header)).toEqual([
      'cross-origin-opener-policy',
      'cross-origin-resource-policy',
      'permissions-policy',
    ]);
  });

  it("passes the API's answers on unchanged, and never caches them", () => {
    const { CacheBehaviors, CustomErrorResponses, DefaultCacheBehavior } = distribution();
    expect(CustomErrorResponses).toBeUndefined();
    expect(DefaultCacheBehavior.ResponseHeadersPolicyId).toBeDefined();
    const [disabled, allButHost] = ['4135ea2d-6df8-44a3-9df3-4b5a84be39ad', 'b689b0a8-53d0-40ab-baf2-68738e2966ac'];
    expect(CacheBehaviors).toMatchObject(
      ['/api/*', '/v1/*', '/openapi.json'].map((PathPattern) => ({
        PathPattern,
        CachePolicyId: disabled,
        OriginRequestPolicyId: allButHost,
        AllowedMethods: expect.arrayContaining(['PATCH', 'DELETE']),
        ViewerProtocolPolicy: 'https-only',
      })),
    );
  });

  it('has room for its resources in every stack', () => {
    for (const stack of prod.stackNames)
      expect([stack, prod.resources.filter((one) => one.stack === stack).length < 470]).toEqual([stack, true]);
  });
});

const OF_ANY_ROLE = /-parts\/role\/DefaultPolicy\/Resource$/;
const OF_A_PREFIX =
  /^AwsSolutions-IAM5\[Resource::.*files.*\/(reported-transcripts|knowledge|transcripts|recordings)\/\*\]$/;
const OF_A_SCHEDULE_GROUP =
  /^AwsSolutions-IAM5\[Resource::.*:scheduler:.*:schedule\/.*OutputRef(callbacks|releases|tickets)schedules.*\/\*\]$/;

/** Accepted findings of cdk-nag, and their resources. The test fails on all others. */
const accepted: [finding: RegExp, at: RegExp][] = [
  // Only our functions access the bucket, and access logs would be a second store of called people.
  [/^AwsSolutions-S1$/, /^data\/files\//],
  // Only the distribution reads the pages, which are public.
  [/^AwsSolutions-S1$/, /^edge\/site\/pages\//],
  // Long passwords without rules for their characters (NIST SP 800-63B, 3.1.1.2); MFA is the operator's decision.
  [/^AwsSolutions-COG[128]$/, /^data\/people\//],
  // Members may live anywhere; the API has throttles and an access log of its own; without a certificate of the
  // operator, CloudFront's own one allows older TLS.
  [/^AwsSolutions-CFR[1234]$/, /^edge\/site\/distribution\//],
  // The objects of the two buckets.
  [
    /^AwsSolutions-IAM5\[Resource::(arn:<AWS::Partition>:s3:::cdk-[a-z0-9]+-assets-.*|<sitepages\w+\.Arn>)\/\*\]$/,
    /^edge\/site\/upload-role\//,
  ],
  // The CDK's own function, which runs only during a deployment.
  [/^(AwsSolutions-L1|Serverless-Lambda(DLQ|LatestVersion|Tracing))$/, /^edge\/Custom::CDKBucketDeployment/],
  // The platform account has no interface for a rotation. The operator replaces the webhook key, and both are accepted.
  [/^AwsSolutions-SMG4$/, /^data\/secret-/],
  // These queues hold the dead letters; the pack recognizes only those that a queue of the same stack names.
  [/^(AwsSolutions-SQS3|Serverless-SQSRedrivePolicy)$/, /(dead-letters|-failures)\/queue\/Resource$/],
  // The functions check keys and signatures. An authorizer would add a round trip to every request.
  [/^AwsSolutions-APIG4$/, /^(api|dashboard)\//],
  // The functions send no segments, because the id in their logs follows a call (docs/tracing.md, "Follow one
  // call").
  [/^Serverless-LambdaTracing$/, /^(api|dashboard|workers)\/[a-z-]+\/Resource$/],
  // CloudWatch checks this right on all alarms, whichever alarms the request names.
  [/^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:cloudwatch:.*:alarm:\*\]$/, /^(api|workers)\/canaries\/role\//],
  // The objects below one prefix of the bucket.
  [OF_A_PREFIX, OF_ANY_ROLE],
  // The schedules of one group, whose names depend on their messages.
  [OF_A_SCHEDULE_GROUP, /^workers\/(notify-callback|schedule-release|create-ticket)-parts\//],
  // An undelivered mail needs no later work, because the alarm stays active until a person reads it.
  [/^Serverless-SNSRedrivePolicy$/, /^data\/(alarms|warnings)\//],
  // Only recover-calls is invoked asynchronously, and its next run is its retry. Queues and streams have dead letters.
  [/^Serverless-LambdaDLQ$/, /^(api|dashboard|workers)\/[a-z-]+\/Resource$/],
  // A queue has a redrive policy instead; destinations of a mapping are for streams.
  [/^Serverless-LambdaEventSourceMappingDestination$/, /\/SqsEventSource:/],
];

describe('the memory of a function', () => {
  /** The measured table of docs/cost.md: name, MB of its row, and its highest use. */
  const measured = () =>
    [...read('docs/cost.md').matchAll(/^\| `([\w-]+)` \| (\d+) \| (\d+) \|/gm)].map(
      ([, name = '', mb, most]) => [name, Number(mb), Number(most)] as const,
    );

  it('is at least 1.5 times its highest use', () => {
    expect(measured().length).toBeGreaterThan(20);
    expect(measured().filter(([, mb, most]) => most === 0 || mb < 1.5 * most)).toEqual([]);
  });

  it('is the same in docs/cost.md and in the templates', () => {
    const ofTemplate = (name: string) => functionNamed(name).Properties.MemorySize;
    expect(measured().filter(([name, mb]) => ofTemplate(name) !== mb)).toEqual([]);
  });
});

describe('the cost of an idle stage', () => {
  it('is the same in docs/cost.md and in the templates', () => {
    const idle = idleOf(prod);
    const page = read('docs/cost.md');
    const expected = [
      ...idleRows(idle),
      ...Object.entries(idle.runs).map(([name, runs]) => runsRow(name, runs)),
      ...pricesTable().split('\n'),
    ];
    expect(expected.filter((row) => !page.includes(row))).toEqual([]);
  });

  it('is at most 15 dollars a month beyond the free tier of every account, with the runs of schedules', () => {
    const [, list = '', beyond = ''] =
      /^\| \*\*in all\*\* \| {2}\| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \|$/m.exec(read('docs/cost.md')) ?? [];
    // The document's sum matches the templates.
    expect(Number(beyond)).toBeGreaterThanOrEqual(costOf(idleOf(prod).bill, true) - 0.005);
    expect(Number(list)).toBeGreaterThanOrEqual(costOf(idleOf(prod).bill) - 0.005);
    expect(Number(beyond)).toBeLessThanOrEqual(15);
  });

  it('includes every kind of resource, except the firewall, which is an option', () => {
    expect(unknownTypes(prod)).toEqual(['AWS::WAFv2::WebACL']);
    expect(read('docs/cost.md')).toContain('`webFirewall`');
  });
});

describe('cdk-nag', () => {
  const findingsOf = (pack: NagPack) =>
    pack.validateScope(prod.app).violations.flatMap(({ ruleName, violatingResources = [] }) =>
      violatingResources.map((found) => ({
        rule: ruleName,
        at: (found as { constructPath?: string }).constructPath ?? '',
      })),
    );
  const matches = ({ rule, at }: { rule: string; at: string }, [finding, place]: [RegExp, RegExp]) =>
    finding.test(rule) && place.test(at);
  let ofAwsSolutions: ReturnType<typeof findingsOf>;
  let ofServerless: ReturnType<typeof findingsOf>;
  beforeAll(() => {
    ofAwsSolutions = findingsOf(new AwsSolutionsChecks(prod.app));
    ofServerless = findingsOf(new ServerlessChecks(prod.app));
  });

  it('finds only accepted violations', () => {
    const all = [...ofAwsSolutions, ...ofServerless];
    expect(all.filter((found) => !accepted.some((exception) => matches(found, exception)))).toEqual([]);
  });

  it('finds every accepted violation, so that no exception is obsolete', () => {
    const all = [...ofAwsSolutions, ...ofServerless];
    const obsolete = accepted.filter((exception) => !all.some((found) => matches(found, exception)));
    expect(obsolete.map(([finding]) => String(finding))).toEqual([]);
  });

  it('accepts only dead-letter queues as queues without a redrive policy', () => {
    const withoutRedrive = ofServerless.filter(({ rule }) => rule === 'Serverless-SQSRedrivePolicy');
    const deadLetters = prod.ofType('AWS::SQS::Queue').filter(isDeadLetters);
    expect(deadLetters.length).toBeGreaterThan(0);
    expect(withoutRedrive).toHaveLength(deadLetters.length);
  });
});
