import { functionNames } from '../../../lib/functions.ts';
import { MAX_STAGE_CHARACTERS } from '../../../lib/names.ts';
import { prod } from '../support/stages/prod.ts';
import { synthesize } from '../support/synthesize.ts';

/** The longest name that AWS accepts, in characters, by the property that sets it. */
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

describe('every name', () => {
  const named = () =>
    prod.resources.flatMap(({ Type, Properties }) =>
      Object.entries<unknown>(Properties ?? {}).flatMap(([property, value]) =>
        /Name$/.test(property) && typeof value === 'string' ? [{ of: `${Type} ${property}`, value }] : [],
      ),
    );

  it('has room for the longest name of a stage', () => {
    for (const { of, value } of named()) {
      const longest = value.replace('prod', 'x'.repeat(MAX_STAGE_CHARACTERS));
      expect([of, value, longest.length <= (limits[of] ?? 0)]).toEqual([of, value, true]);
    }
    for (const stack of prod.stackNames) expect(stack.length - 4 + MAX_STAGE_CHARACTERS).toBeLessThanOrEqual(128);
  });

  it('that AWS limits belongs to a resource, so that no limit is obsolete', () => {
    const found = new Set(named().map(({ of }) => of));
    expect(Object.keys(limits).filter((of) => !found.has(of))).toEqual([]);
  });

  it('of a stage is at most as long as the longest function name allows', () => {
    const longest = Math.max(...functionNames.map((name) => name.length));
    expect('calling-service-'.length + MAX_STAGE_CHARACTERS + '-'.length + longest).toBeLessThanOrEqual(64);
    expect(() => synthesize('x'.repeat(MAX_STAGE_CHARACTERS + 1))).toThrow('name');
  });

  it('of a schedule group is generated, because a group outlives its stack and would block a new one', () => {
    const groups = prod.ofType('AWS::Scheduler::ScheduleGroup').map(({ Properties }) => Properties?.Name);
    expect(groups).toEqual([undefined, undefined, undefined]);
  });
});
