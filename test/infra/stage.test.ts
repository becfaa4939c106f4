import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
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

it('a stage can leave out one new index until the next deployment', () => {
  expect(stageOf({ withoutIndex: 'activity/by-lead' })).toMatchObject({ withoutIndex: 'activity/by-lead' });
  expect(() => stageOf({ withoutIndex: 'by-lead' })).toThrow('withoutIndex');
  const indexesOf = (stage: ReturnType<typeof stageOf>) => {
    const data = new DataStack(new App(), 'data', { stage });
    const tables = Object.values(Template.fromStack(data).findResources('AWS::DynamoDB::GlobalTable'));
    const activity = tables.find(({ Properties }) => Properties.TableName.endsWith('-activity'));
    return activity?.Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);
  };
  expect(indexesOf(stageOf({}))).toEqual(['by-time', 'by-phone', 'by-lead']);
  expect(indexesOf(stageOf({ withoutIndex: 'activity/by-lead' }))).toEqual(['by-time', 'by-phone']);
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
