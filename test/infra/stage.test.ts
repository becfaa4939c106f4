import { describe, expect, it } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { readStage } from '../../lib/stage.ts';

const stageOf = (context: object) =>
  readStage(new App({ context: { stage: 'prod', region: 'us-east-1', ...context } }).node, {});

describe('the settings of a stage', () => {
  it('refuse the former name of a setting, so that no request goes to the real vendor by mistake', () => {
    const zohoAccountsUrl = 'https://accounts.example';
    expect(stageOf({ zohoAccountsUrl })).toMatchObject({ zohoAccountsUrl });
    expect(() => stageOf({ crmBAccountsUrl: zohoAccountsUrl })).toThrow('-c zohoAccountsUrl=');
  });
});
