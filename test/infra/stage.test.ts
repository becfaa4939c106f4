import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Site } from '../../lib/constructs/site.ts';
import { defaultModelOf, modelArns } from '../../lib/model.ts';
import { DataStack } from '../../lib/stacks/data.ts';
import { readStage } from '../../lib/stage.ts';

const at = (region: string) => ({ region, account: '123456789012', partition: 'aws' });
const stageOf = (context: object) =>
  readStage(new App({ context: { stage: 'prod', region: 'us-east-1', ...context } }).node, {});

it('a stage refuses the former name of a setting, so that no request goes to the real vendor by mistake', () => {
  const zohoAccountsUrl = 'https://accounts.example';
  expect(stageOf({ zohoAccountsUrl })).toMatchObject({ zohoAccountsUrl });
  expect(() => stageOf({ crmBAccountsUrl: zohoAccountsUrl })).toThrow('-c zohoAccountsUrl=');
});

it('a stage makes the indexes of its tables except those that wait for a later deployment', () => {
  const indexesOf = (context: object, table: string) => {
    const data = new DataStack(new App(), 'data', { stage: stageOf(context) });
    const tables = Object.values(Template.fromStack(data).findResources('AWS::DynamoDB::GlobalTable'));
    const found = tables.find(({ Properties }) => Properties.TableName.endsWith(`-${table}`));
    return found?.Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);
  };
  expect(indexesOf({}, 'calls')).toEqual(['by-org', 'by-phone', 'unfinished', 'waiting']);
  expect(indexesOf({}, 'activity')).toEqual(['by-time', 'by-phone', 'by-lead']);
  const withoutIndexes = 'calls/by-phone,calls/waiting,activity/by-lead';
  expect(indexesOf({ withoutIndexes }, 'calls')).toEqual(['by-org', 'unfinished']);
  expect(indexesOf({ withoutIndexes }, 'activity')).toEqual(['by-time', 'by-phone']);
  expect(() => stageOf({ withoutIndexes: 'by-phone' })).toThrow('withoutIndexes');
});

it('a stage keeps its logs for a time that CloudWatch Logs knows, and names those times for another one', () => {
  const known = Object.values(RetentionDays).filter((days): days is number => typeof days === 'number');
  const finite = known.filter((days) => days !== RetentionDays.INFINITE);
  for (const days of finite)
    expect(stageOf({ logRetentionDays: String(days) })).toMatchObject({ logRetentionDays: days });
  for (const wrong of ['100', '0', '90.5', 'forever'])
    expect(() => stageOf({ logRetentionDays: wrong })).toThrow(
      /logRetentionDays(.|\n)*1, 3, 5, 7, 14, 30, 60, 90, 120/,
    );
});

it('a stage dials as often as the providers of numbers allow by default, and the local one as often as a test wants', () => {
  expect(stageOf({})).toMatchObject({ voiceDialsPerSecond: 5, voiceNumberDialsPerSecond: 1 });
  expect(stageOf({ voiceNumberDialsPerSecond: '3' })).toMatchObject({ voiceNumberDialsPerSecond: 3 });
  expect(stageOf({ stage: 'local' })).toMatchObject({ voiceDialsPerSecond: 100, voiceNumberDialsPerSecond: 100 });
});

it('a stage has neither a firewall nor limits of its webhooks by default', () => {
  expect(stageOf({})).toMatchObject({ webFirewall: false, webhookThrottles: false });
  expect(stageOf({ webFirewall: 'true', webhookThrottles: 'true' })).toMatchObject({
    webFirewall: true,
    webhookThrottles: true,
  });
});

describe("the dashboard's own domain name", () => {
  const dashboardUrl = 'https://app.example.com';
  const dashboardCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/6f0f9ad0-1c2b-4d5e-8f90-0123456789ab';
  const distributionOf = (context: object) => {
    const stack = new Stack(new App(), 'edge', { env: { region: 'ap-south-1', account: '123456789012' } });
    new Site(stack, 'site', {
      stage: stageOf(context),
      folder: import.meta.dirname,
      apiDomain: 'api.example.com',
      filesOrigin: 'https://files.example.com',
    });
    const [found] = Object.values(Template.fromStack(stack).findResources('AWS::CloudFront::Distribution'));
    return found?.Properties.DistributionConfig;
  };

  it('is one that the distribution answers to, with its certificate', () => {
    expect(distributionOf({ dashboardUrl, dashboardCertificate })).toMatchObject({
      Aliases: ['app.example.com'],
      ViewerCertificate: { AcmCertificateArn: dashboardCertificate, MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
    const withoutName = distributionOf({});
    expect([withoutName.Aliases, withoutName.ViewerCertificate]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a name without a certificate, which CloudFront would refuse', { dashboardUrl }],
    ['a certificate without a name', { dashboardCertificate }],
    [
      'a certificate of another region than CloudFront reads',
      { dashboardUrl, dashboardCertificate: dashboardCertificate.replace('us-east-1', 'ap-south-1') },
    ],
    ['a plain http address', { dashboardUrl: 'http://app.example.com', dashboardCertificate }],
  ])('cannot be %s', (_, context) => {
    expect(() => stageOf(context)).toThrow('dashboardCertificate');
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
    expect(() => stageOf({ region })).toThrow('-c modelId=');
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
