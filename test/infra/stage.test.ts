import { readdirSync, readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Canaries } from '../../lib/constructs/canaries.ts';
import { Site } from '../../lib/constructs/site.ts';
import { defaultModelOf, modelArns } from '../../lib/model.ts';
import { DataStack } from '../../lib/stacks/data.ts';
import { EdgeStack } from '../../lib/stacks/edge.ts';
import { canaryMinutesOf, readStage } from '../../lib/stage.ts';
import { readStageFile } from '../../lib/stage-file.ts';
import { aStage, unchecked } from './support/synthesize.ts';

const at = (region: string) => ({ region, account: '123456789012', partition: 'aws' });
const stageOf = (context: object) => {
  const { stage = 'prod', ...settings } = context as { stage?: string };
  return aStage(stage, settings);
};

/** The template of the stack `edge`, without the certificates that a deployment requests. */
const edgeOf = (settings: object) => {
  const region = 'ap-south-1';
  const [app, stage] = [new App(unchecked), stageOf({ region, publicUrl: 'https://calls.example.com', ...settings })];
  const env = { region, account: '123456789012' };
  const data = new DataStack(app, 'data', { stage, env });
  return Template.fromStack(new EdgeStack(app, 'edge', { stage, data, env }));
};

describe('the settings of a stage', () => {
  const read = (context: object, settings?: object) =>
    readStage(new App({ context }).node, {}, () => settings as Record<string, unknown> | undefined);
  const retained = {
    region: 'eu-west-1',
    alarmEmail: 'alarms@example.com',
    publicUrl: 'https://calls.example.com',
    multiRegionKeys: false,
  };

  it('are those of its file, and no stage is deployed by default', () => {
    expect(read({ stage: 'prod' }, { ...retained, voiceSlots: 20 })).toMatchObject({
      ...retained,
      name: 'prod',
      isRetained: true,
      voiceSlots: 20,
      logRetentionDays: 90,
    });
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
    expect(() => read(context, retained)).toThrow('Name the stage: -c stage=NAME');
    expect(() => read({ stage: 'prod' }, undefined)).toThrow('stages/prod.json does not exist');
  });

  it.each(['region', 'alarmEmail', 'publicUrl', 'multiRegionKeys'])('require %s if its data must last', (name) => {
    const { [name as keyof typeof retained]: _, ...others } = retained;
    expect(() => read({ stage: 'prod' }, others)).toThrow(`stages/prod.json lacks ${name}`);
    expect(read({ stage: 'try' }, { ...others, isRetained: false })).toMatchObject({ isRetained: false });
  });

  it('are refused with the file, the name and the reason', () => {
    const wrong = (settings: object) => () => read({ stage: 'prod' }, { ...retained, ...settings });
    expect(wrong({ voiceSlot: 20 })).toThrow('stages/prod.json: unknown settings voiceSlot');
    expect(wrong({ voiceSlots: 0 })).toThrow(/^stages\/prod\.json:\n.*>=1\n.*voiceSlots/);
    expect(wrong({ alarmEmail: 'me' })).toThrow('alarmEmail');
    expect(wrong({ monthlyBudget: 0 })).toThrow('monthlyBudget');
    expect(wrong({ restored: { call: 'r202611231430' } })).toThrow('restored');
    expect(wrong({ restored: { calls: 'old' } })).toThrow('restored');
    expect(() => read({ stage: 'try' }, { isRetained: false, monthlyBudget: 20 })).toThrow('needs alarmEmail');
    const mailFrom = 'notices@example.com';
    for (const settings of [{}, { mailFrom: 'notices@example.org' }])
      expect(wrong({ ...settings, mailIdentity: 'example.com' })).toThrow(
        'mailIdentity must be mailFrom or its domain',
      );
    for (const mailIdentity of [mailFrom, 'example.com'])
      expect(read({ stage: 'prod' }, { ...retained, mailFrom, mailIdentity })).toMatchObject({ mailIdentity });
    // CloudFormation would detach a web ACL that was attached by hand.
    expect(wrong({ webFirewall: true })).toThrow(/^stages\/prod\.json: webFirewall needs the region us-east-1\.$/);
    expect(read({ stage: 'prod' }, { ...retained, region: 'us-east-1', webFirewall: true })).toMatchObject({
      webFirewall: true,
    });
    for (const own of ['allowLoopbackCallbacks', 'showFirstPasswords', 'name'])
      expect(wrong({ [own]: true })).toThrow(own);
  });

  it('cannot be given on the command line, because the next deployment would lack them', () => {
    expect(() => read({ stage: 'prod', voiceSlots: '20' }, retained)).toThrow(
      'Write voiceSlots into stages/prod.json instead of -c voiceSlots=',
    );
  });

  it('in the repository are valid', () => {
    const names = readdirSync('stages').map((file) => file.replace(/\.json$/, ''));
    expect(names).toContain('try');
    for (const name of names) expect(readStage(new App({ context: { stage: name } }).node, {})).toMatchObject({ name });
    expect(readStageFile('none')).toBeUndefined();
  });
});

it('keys can be replicated to another region if the stage sets it, so that data survives its region', () => {
  const keysOf = (settings: object) => {
    const app = new App(unchecked);
    new DataStack(app, 'data', { stage: stageOf(settings) });
    const keys = Object.values(Template.fromStack(app.node.findChild('data') as Stack).findResources('AWS::KMS::Key'));
    return keys.map(({ Properties }) => Properties.MultiRegion);
  };
  // Absent, not false: an existing key refuses the change.
  expect(keysOf({})).toEqual([undefined, undefined, undefined]);
  expect(keysOf({ multiRegionKeys: true })).toEqual([true, true, true]);
});

it('a disposable stage leaves no data behind: its tables, files and pages are deleted with it', () => {
  const stage = stageOf({ stage: 'try', isRetained: false });
  const app = new App(unchecked);
  new DataStack(app, 'data', { stage });
  const pages = new Stack(app, 'edge');
  const site = { stage, apiDomain: 'api.example.com', filesOrigin: 'https://f.example' };
  new Site(pages, 'site', site);
  const assembly = app.synth();
  for (const { template } of assembly.stacks) {
    const resources = Object.values<{ Type: string; DeletionPolicy?: string }>(template.Resources);
    expect(resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'))).toEqual([]);
    expect(resources.filter(({ Type }) => Type === 'Custom::S3AutoDeleteObjects')).toHaveLength(1);
    expect(JSON.stringify(resources)).not.toContain('"DeletionProtectionEnabled":true');
  }
  expect(assembly.stacks).toHaveLength(2);
});

it('a stage refuses the former name of a setting, so that no request reaches the real vendor by mistake', () => {
  const zohoAccountsUrl = 'https://accounts.example';
  expect(stageOf({ zohoAccountsUrl })).toMatchObject({ zohoAccountsUrl });
  expect(() => stageOf({ crmBAccountsUrl: zohoAccountsUrl })).toThrow('crmBAccountsUrl is now zohoAccountsUrl');
});

it('a stage creates the indexes of its tables except those that wait for a later deployment', () => {
  const indexesOf = (context: object, table: string) => {
    const data = new DataStack(new App(unchecked), 'data', { stage: stageOf(context) });
    const tables = Object.values(Template.fromStack(data).findResources('AWS::DynamoDB::GlobalTable'));
    const found = tables.find(({ Properties }) => Properties.TableName.endsWith(`-${table}`));
    return found?.Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);
  };
  expect(indexesOf({}, 'calls')).toEqual(['by-org', 'by-phone', 'unfinished', 'waiting']);
  expect(indexesOf({}, 'activity')).toEqual(['by-time', 'by-phone', 'by-lead']);
  const withoutIndexes = 'calls/by-phone,calls/waiting,activity/by-lead';
  expect(indexesOf({ withoutIndexes }, 'calls')).toEqual(['by-org', 'unfinished']);
  expect(indexesOf({ withoutIndexes }, 'activity')).toEqual(['by-time', 'by-phone']);
  for (const unknown of ['by-phone', 'calls/by-fone', 'calls/by-phone, calls/waiting'])
    expect(() => stageOf({ withoutIndexes: unknown })).toThrow(
      /must be some of .*calls\/by-phone,.*\n.*withoutIndexes/,
    );
});

it('a stage tries new versions for ten minutes, unless it is disposable or sets another time', () => {
  const minutesOf = (context: object) => canaryMinutesOf(stageOf(context));
  expect(minutesOf({})).toBe(10);
  expect([minutesOf({ isRetained: false }), minutesOf({ stage: 'local' })]).toEqual([undefined, undefined]);
  expect([minutesOf({ canaryMinutes: 0 }), minutesOf({ canaryMinutes: '15', isRetained: false })]).toEqual([0, 15]);
  const groupOf = (context: object) => {
    const stack = new Stack(new App(unchecked), 'api');
    const lambda = new LambdaFunction(stack, 'f', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = 0'),
    });
    Canaries.for(stack, 'api', stageOf(context))?.aliasOf('get-call', lambda, ['some-alarm']);
    const [group] = Object.values(Template.fromStack(stack).findResources('AWS::CodeDeploy::DeploymentGroup'));
    return group?.Properties;
  };
  expect(groupOf({ isRetained: false })).toBeUndefined();
  // The alias stays when canaries are switched off, so that triggers keep invoking it, and no alarm stops a fix.
  expect(groupOf({ canaryMinutes: 0 })).toMatchObject({
    DeploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
    AlarmConfiguration: { Enabled: false },
  });
  expect(groupOf({ canaryMinutes: 15 })).toMatchObject({
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
    AlarmConfiguration: { Enabled: true, Alarms: [{ Name: 'some-alarm' }] },
  });
  for (const wrong of [1, 5, 30, '10m', 'off', true])
    expect(() => stageOf({ canaryMinutes: wrong })).toThrow(/a canary takes 0, 10, 15 minutes\n.*canaryMinutes/);
});

it('a stage accepts only a log retention of CloudWatch Logs, and lists the valid ones otherwise', () => {
  const known = Object.values(RetentionDays).filter((days): days is number => typeof days === 'number');
  const finite = known.filter((days) => days !== RetentionDays.INFINITE);
  for (const days of finite)
    expect(stageOf({ logRetentionDays: String(days) })).toMatchObject({ logRetentionDays: days });
  for (const wrong of ['100', '0', '90.5', 'forever'])
    expect(() => stageOf({ logRetentionDays: wrong })).toThrow(
      /1, 3, 5, 7, 14, 30, 60, 90, 120.* days\n.*logRetentionDays/,
    );
});

it('a stage keeps files without limit by default, or for a time that the bucket has a rule for', () => {
  expect(stageOf({}).retention).toBeUndefined();
  expect(stageOf({ retention: 'recordings=90' }).retention).toBe('recordings=90');
  for (const wrong of ['recordings=91', '90', 'logs=90'])
    expect(() => stageOf({ retention: wrong })).toThrow('retention');
});

it('a stage dials by default as often as the providers of numbers allow, and the local one as often as a test needs', () => {
  expect(stageOf({})).toMatchObject({ voiceDialsPerSecond: 5, voiceNumberDialsPerSecond: 1 });
  expect(stageOf({ voiceNumberDialsPerSecond: '3' })).toMatchObject({ voiceNumberDialsPerSecond: 3 });
  expect(stageOf({ stage: 'local' })).toMatchObject({ voiceDialsPerSecond: 100, voiceNumberDialsPerSecond: 100 });
});

it('a stage has no firewall by default', () => {
  expect(stageOf({}).webFirewall).toBe(false);
  expect(stageOf({ webFirewall: 'true' }).webFirewall).toBe(true);
});

describe("the dashboard's own domain name", () => {
  const dashboardUrl = 'https://app.example.com';
  const dashboardCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/6f0f9ad0-1c2b-4d5e-8f90-0123456789ab';
  const distributionOf = (settings: object) => {
    const [found] = Object.values(edgeOf(settings).findResources('AWS::CloudFront::Distribution'));
    return found?.Properties.DistributionConfig;
  };

  it('is an alias of the distribution, with its certificate', () => {
    expect(distributionOf({ dashboardUrl, dashboardCertificate })).toMatchObject({
      Aliases: ['app.example.com'],
      ViewerCertificate: { AcmCertificateArn: dashboardCertificate, MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
    const withoutName = distributionOf({});
    expect([withoutName.Aliases, withoutName.ViewerCertificate]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a certificate without a name', { dashboardCertificate }],
    [
      'a certificate of another region than CloudFront reads',
      { dashboardUrl, dashboardCertificate: dashboardCertificate.replace('us-east-1', 'ap-south-1') },
    ],
    ['a plain http address', { dashboardUrl: 'http://app.example.com', dashboardCertificate }],
    ['a plain http address without a certificate', { dashboardUrl: 'http://app.example.com' }],
    ['an address with a port', { dashboardUrl: 'https://app.example.com:8443' }],
  ])('cannot be %s', (_, context) => {
    expect(() => stageOf(context)).toThrow('dashboardCertificate');
  });
});

describe("the API's own domain names", () => {
  const publicUrl = 'https://calls.example.com';
  const certificate = 'arn:aws:acm:ap-south-1:123456789012:certificate/6f0f9ad0-1c2b-4d5e-8f90-0123456789ab';
  const publicNames = { 'calls.example.com': certificate, 'former.example.com': certificate };
  const region = 'ap-south-1';

  it('point to the API of their stack, apart from the functions, several at a time', () => {
    const edge = edgeOf({ publicNames });
    const domains = Object.entries(edge.findResources('AWS::ApiGatewayV2::DomainName'));
    const [api] = Object.keys(edge.findResources('AWS::ApiGatewayV2::Api'));
    const [stage = ''] = Object.keys(edge.findResources('AWS::ApiGatewayV2::Stage'));
    const mappings = Object.values(edge.findResources('AWS::ApiGatewayV2::ApiMapping'));
    expect(domains.map(([, { Properties }]) => Properties.DomainName)).toEqual(Object.keys(publicNames));
    for (const [id, { Properties }] of domains) {
      expect(Properties.DomainNameConfigurations).toEqual([
        { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
      ]);
      const mapping = mappings.find((found) => found.Properties.DomainName.Ref === id);
      expect(mapping?.Properties).toEqual({ ApiId: { Ref: api }, DomainName: { Ref: id }, Stage: '$default' });
      expect(mapping?.DependsOn).toContain(stage);
    }
    const targets = Object.values(edge.toJSON().Outputs as Record<string, { Description?: string }>);
    expect(targets.flatMap(({ Description }) => Description ?? [])).toEqual(Object.keys(publicNames));
  });

  it('may be a list of names whose certificates the deployment requests', () => {
    const requested = { 'calls.example.com': 'create', 'former.example.com': 'create' };
    expect(stageOf({ region, publicUrl, publicNames: Object.keys(publicNames) }).publicNames).toEqual(requested);
    const mixed = { 'calls.example.com': 'create', 'former.example.com': certificate };
    expect(stageOf({ region, publicUrl, publicNames: mixed }).publicNames).toEqual(mixed);
  });

  it('are created only with certificates, because another system may point the name to the API', () => {
    expect(edgeOf({}).findResources('AWS::ApiGatewayV2::DomainName')).toEqual({});
  });

  it.each([
    [
      'a certificate of another region',
      { publicNames: { 'calls.example.com': certificate.replace(region, 'us-east-1') } },
    ],
    ['text that is not a certificate', { publicNames: { 'calls.example.com': 'calls' } }],
    ['a list without the name of publicUrl', { publicNames: ['former.example.com'] }],
    ['a list with an address', { publicNames: ['calls.example.com', 'https://former.example.com'] }],
    ['the name of the dashboard', { dashboardUrl: publicUrl, publicNames: ['calls.example.com'] }],
    [
      'a name that is too long for a certificate',
      { publicNames: ['calls.example.com', `${'a'.repeat(55)}.example.com`] },
    ],
    ['another name than the public one alone', { publicNames: { 'former.example.com': certificate } }],
    ['a plain http address', { publicUrl: 'http://calls.example.com', publicNames }],
    ['an address with a port', { publicUrl: 'https://calls.example.com:8443', publicNames }],
  ])('cannot have %s', (_, settings) => {
    expect(() => stageOf({ region, publicUrl, ...settings })).toThrow('publicNames');
  });
});

describe('the hosted zones of a stage', () => {
  const names = { region: 'ap-south-1', publicUrl: 'https://calls.example.com', publicNames: ['calls.example.com'] };
  const withZones = (hostedZones: object, more = {}) => stageOf({ ...names, ...more, hostedZones });

  it('have their ids, and contain names of the stage', () => {
    const hostedZones = { 'example.com': 'Z0123456789ABCDEF', 'app.example.org': 'Z0123456789APPS' };
    expect(withZones(hostedZones, { dashboardUrl: 'https://app.example.org' })).toMatchObject({ hostedZones });
  });

  it.each([
    ['a zone without a name of the stage', { 'example.org': 'Z0123456789ABCDEF' }, 'example.org'],
    ['a zone whose name is only the end of a word', { 'ample.com': 'Z0123456789ABCDEF' }, 'ample.com'],
    ['an ARN instead of an id', { 'example.com': 'arn:aws:route53:::hostedzone/Z0123456789ABCDEF' }, 'such as Z0'],
    ['an address instead of a name', { 'https://example.com': 'Z0123456789ABCDEF' }, 'https://example.com'],
  ])('cannot be %s', (_, hostedZones, told) => {
    expect(() => withZones(hostedZones)).toThrow(/hostedZones/);
    expect(() => withZones(hostedZones)).toThrow(told);
  });
});

describe('the language model of a stage', () => {
  it.each([
    ['us-east-1', 'amazon.nova-lite-v1:0'],
    ['us-west-2', 'us.amazon.nova-lite-v1:0'],
    ['eu-west-1', 'eu.amazon.nova-lite-v1:0'],
    ['ap-south-1', 'apac.amazon.nova-lite-v1:0'],
  ])('in %s is %s by default', (region, byDefault) => {
    expect(defaultModelOf(region)).toBe(byDefault);
    expect(stageOf({ region })).toMatchObject({ region, modelId: byDefault });
    const modelId = 'eu.amazon.nova-pro-v1:0';
    expect(stageOf({ region, modelId })).toMatchObject({ modelId });
  });

  it.each(['sa-east-1', 'us-gov-east-1'])('has no default in %s and must be configured', (region) => {
    expect(() => stageOf({ region })).toThrow('in modelId');
  });
});

describe('the permission to invoke a model', () => {
  it('covers a foundation model only in its region', () => {
    expect(modelArns('amazon.nova-lite-v1:0', at('us-east-1'))).toEqual([
      'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0',
    ]);
  });

  it('covers an inference profile of the account, and its model in every region of the profile', () => {
    expect(modelArns('apac.amazon.nova-lite-v1:0', at('ap-south-1'))).toEqual([
      'arn:aws:bedrock:ap-south-1:123456789012:inference-profile/apac.amazon.nova-lite-v1:0',
      'arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0',
    ]);
  });
});
