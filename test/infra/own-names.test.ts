import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { requestedCertificates } from '../../lib/own-names.ts';
import { CertificatesStack } from '../../lib/stacks/certificates.ts';
import { DeployerStack } from '../../lib/stacks/deployer.ts';
import type { Stage } from '../../lib/stage.ts';
import { read } from './support/sources.ts';
import { disposable } from './support/stages/disposable.ts';
import { prod } from './support/stages/prod.ts';
import { aStage, type Resource, type Synthesized, synthesize, unchecked } from './support/synthesize.ts';

const REGION = 'ap-south-1';
const ACCOUNT_ARN = 'arn:aws:acm';
const ownOf = (region: string, id: string) => `${ACCOUNT_ARN}:${region}:123456789012:certificate/${id}`;

const dashboardUrl = 'https://app.example.com';
const base = { region: REGION, publicUrl: 'https://calls.example.com', dashboardUrl };

let own: Synthesized;
let requested: Synthesized;
let hosted: Synthesized;

beforeAll(() => {
  own = synthesize('prod', {
    ...base,
    publicNames: { 'calls.example.com': ownOf(REGION, 'calls') },
    dashboardCertificate: ownOf('us-east-1', 'app'),
  });
  requested = synthesize('prod', { ...base, publicNames: ['calls.example.com'] });
  hosted = synthesize('prod', {
    ...base,
    publicNames: { 'calls.example.com': 'create', 'former.example.org': ownOf(REGION, 'former') },
    hostedZones: { 'example.com': 'Z0123456789ABCDEF', 'app.example.com': 'Z0123456789APPS' },
    deployFrom: 'acme/calls',
  });
});

const stackName = (part: string) => `calling-service-prod-${part}`;
const certificatesOf = (app: Synthesized) =>
  app.ofType('AWS::CertificateManager::Certificate').map(({ stack, Properties }) => [stack, Properties.DomainName]);
const regionOf = (app: Synthesized, part: string) =>
  (app.app.node.findChild(part) as unknown as { region: string }).region;
const outputsOf = (app: Synthesized, part: string) =>
  (app.templates[stackName(part)] as { Outputs: Record<string, { Value: unknown; Export?: object }> }).Outputs;
/** Returns whether CloudFormation reads the value from an output of another stack, such as a certificate's. */
const isRead = (value: unknown): value is { 'Fn::GetStackOutput': { StackName: unknown; OutputName: string } } =>
  typeof value === 'object' && value !== null && 'Fn::GetStackOutput' in value;
const domainName = ({ ofType }: Synthesized) => ofType('AWS::ApiGatewayV2::DomainName')[0] as Resource;
const distribution = ({ ofType }: Synthesized) => ofType('AWS::CloudFront::Distribution')[0] as Resource;
const certificateOfApi = (app: Synthesized) => domainName(app).Properties.DomainNameConfigurations[0].CertificateArn;
const viewer = (app: Synthesized) => distribution(app).Properties.DistributionConfig.ViewerCertificate;

describe('the certificate that a deployment requests for a name', () => {
  it('is proved by DNS, in the region that reads it, and in a stack apart from the API and its functions', () => {
    expect(certificatesOf(requested)).toEqual([
      [stackName('certificates'), 'calls.example.com'],
      [stackName('dashboard-certificate'), 'app.example.com'],
    ]);
    expect(regionOf(requested, 'certificates')).toBe(REGION);
    expect(regionOf(requested, 'dashboard-certificate')).toBe('us-east-1');
    for (const { Properties } of requested.ofType('AWS::CertificateManager::Certificate'))
      expect(Properties).toMatchObject({ ValidationMethod: 'DNS' });
    expect(certificatesOf(own)).toEqual([]);
    expect(own.stackNames).not.toContain(stackName('certificates'));
  });

  it('is used by the domain name of API Gateway and by the distribution', () => {
    for (const [value, part] of [
      [certificateOfApi(requested), 'certificates'],
      [viewer(requested).AcmCertificateArn, 'dashboard-certificate'],
    ] as const) {
      if (!isRead(value)) throw new Error(`reads no output: ${JSON.stringify(value)}`);
      const { StackName, OutputName } = value['Fn::GetStackOutput'];
      expect(JSON.stringify(StackName)).toContain(stackName(part));
      const [certificate] = requested.resources.filter(({ stack }) => stack === stackName(part));
      expect(outputsOf(requested, part)[OutputName]?.Value).toEqual({ Ref: certificate?.id });
    }
    expect(JSON.stringify(viewer(requested))).toContain('us-east-1');
    expect(viewer(requested).MinimumProtocolVersion).toBe('TLSv1.2_2021');
    expect(distribution(requested).Properties.DistributionConfig.Aliases).toEqual(['app.example.com']);
  });

  it('stays when a stack is deleted or the name is removed, and the stacks are protected from deletion', () => {
    for (const { id, DeletionPolicy, UpdateReplacePolicy } of requested.ofType('AWS::CertificateManager::Certificate'))
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'RetainExceptOnCreate', 'Retain']);
    expect(requested.isProtected).not.toContain(false);
  });

  it('is deleted with a disposable stage', () => {
    const stage = aStage('try', { ...base, isRetained: false, publicNames: ['calls.example.com'] });
    for (const names of Object.values(requestedCertificates(stage))) {
      const stack = new CertificatesStack(new App(unchecked), 'certificates', { stage, names });
      const certificates = Template.fromStack(stack).findResources('AWS::CertificateManager::Certificate');
      const policies = Object.values(certificates).map(({ DeletionPolicy = 'Delete' }) => DeletionPolicy);
      expect([names.length, ...policies]).toEqual([1, 'Delete']);
    }
    expect(disposable.isProtected).not.toContain(true);
  });
});

describe('the alarm on a certificate', () => {
  const watched = (app: Synthesized) =>
    app
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.MetricName === 'DaysToExpiry')
      .map(({ Properties }) => Properties);

  it('watches each certificate of the API, whether the deployment requests it or not, below 30 days', () => {
    for (const app of [own, requested, hosted]) {
      const names = app.ofType('AWS::ApiGatewayV2::DomainName').map(({ Properties }) => Properties);
      expect(watched(app).map(({ Dimensions }) => Dimensions)).toEqual(
        names.map(({ DomainNameConfigurations: [{ CertificateArn }] }) => [
          { Name: 'CertificateArn', Value: CertificateArn },
        ]),
      );
      expect(watched(app).map(({ AlarmName }) => AlarmName)).toEqual(
        names.map(({ DomainName }) => stackName(`${DomainName}-certificate`)),
      );
      for (const alarm of watched(app))
        expect(alarm).toMatchObject({
          ...{ Namespace: 'AWS/CertificateManager', Statistic: 'Minimum', Period: 86_400, EvaluationPeriods: 1 },
          ...{ ComparisonOperator: 'LessThanThreshold', Threshold: 30, TreatMissingData: 'ignore' },
        });
    }
  });

  it('watches the dashboard’s certificate only in its region, because an alarm sees no metric of another one', () => {
    expect(watched(prod)).toMatchObject([
      { AlarmName: stackName('calls.example.com-certificate') },
      {
        AlarmName: stackName('app.example.com-certificate'),
        Dimensions: [{ Name: 'CertificateArn', Value: viewer(prod).AcmCertificateArn }],
      },
    ]);
  });
});

describe('a change from a given certificate to a requested one, or back', () => {
  it('replaces no address and no mapping', () => {
    const shapeOf = (app: Synthesized) =>
      app.resources
        .filter(({ stack }) => stack === stackName('edge'))
        .map(({ id, Type }) => `${id} ${Type}`)
        .sort();
    expect(shapeOf(requested)).toEqual(shapeOf(own));
    // CloudFormation replaces these for a new name only (Template reference).
    expect(domainName(requested).Properties.DomainName).toBe(domainName(own).Properties.DomainName);
  });

  it('is blocked by no export in use: no stack imports one, and the stacks of certificates have none', () => {
    for (const app of [own, requested, hosted])
      expect(JSON.stringify(app.templates)).not.toMatch(/Fn::ImportValue|Custom::CrossRegionExport/);
    for (const part of ['certificates', 'dashboard-certificate']) {
      const outputs = Object.values(outputsOf(requested, part));
      expect(outputs.map(({ Export }) => Export)).toEqual([undefined]);
    }
  });

  it('deploys the certificate before the addresses that have it', () => {
    const edge = requested.app.node.findChild('edge') as unknown as { dependencies: { node: { id: string } }[] };
    expect(edge.dependencies.map(({ node }) => node.id)).toEqual(
      expect.arrayContaining(['certificates', 'dashboard-certificate']),
    );
  });
});

describe('a hosted zone', () => {
  it('proves the names in it, each by the zone with the longest name', () => {
    const validation = hosted
      .ofType('AWS::CertificateManager::Certificate')
      .map(({ Properties }) => Properties.DomainValidationOptions);
    expect(validation).toEqual([
      [{ DomainName: 'calls.example.com', HostedZoneId: 'Z0123456789ABCDEF' }],
      [{ DomainName: 'app.example.com', HostedZoneId: 'Z0123456789APPS' }],
    ]);
  });

  it('points its names to the API and to the distribution, and no others', () => {
    const records = hosted.ofType('AWS::Route53::RecordSet');
    expect(records.map(({ Properties: { Name, Type, HostedZoneId } }) => [Name, Type, HostedZoneId]).sort()).toEqual([
      ['app.example.com.', 'A', 'Z0123456789APPS'],
      ['app.example.com.', 'AAAA', 'Z0123456789APPS'],
      ['calls.example.com.', 'A', 'Z0123456789ABCDEF'],
    ]);
    const targets = records.map(({ Properties }) => Properties.AliasTarget.DNSName['Fn::GetAtt'][0]);
    expect(new Set(targets)).toEqual(
      new Set([
        hosted
          .ofType('AWS::ApiGatewayV2::DomainName')
          .find(({ Properties }) => Properties.DomainName === 'calls.example.com')?.id,
        distribution(hosted).id,
      ]),
    );
    expect(requested.ofType('AWS::Route53::RecordSet')).toEqual([]);
  });
});

describe('jobs that deploy the stage', () => {
  const policyOf = (app: Synthesized) =>
    app
      .ofType('AWS::IAM::Policy')
      .filter(({ stack }) => stack === stackName('deployer'))
      .map(({ Properties }) => JSON.stringify(Properties.PolicyDocument))
      .join();

  const deployerOf = (stage: Stage) => {
    const props = { stage, from: 'acme/calls', env: { region: REGION } };
    return JSON.stringify(Template.fromStack(new DeployerStack(new App(unchecked), 'deployer', props)).toJSON());
  };

  it('may also deploy the certificate in us-east-1', () => {
    for (const role of ['deploy', 'file-publishing', 'lookup'])
      expect(policyOf(hosted)).toMatch(new RegExp(`cdk-hnb659fds-${role}-role-.{1,60}-us-east-1"`));
  });

  it('may not do so before the dashboard has its own name, so docs/deploy.md has their role deployed with it', () => {
    const before = deployerOf(aStage('prod', { ...base, dashboardUrl: undefined }));
    expect(before).toContain(REGION);
    expect(before).not.toContain('us-east-1');
    const [, section = ''] = read('docs/deploy.md').split('\n## Give the dashboard its own name\n');
    const [steps = ''] = section.split('\n## ');
    const [certificate, role, stage] = [
      'npx cdk deploy dashboard-certificate ',
      'npx cdk deploy deployer ',
      'Deploy the stage.',
    ].map((step) => steps.indexOf(step));
    expect(certificate).toBeGreaterThan(0);
    expect(role).toBeGreaterThan(certificate ?? 0);
    expect(stage).toBeGreaterThan(role ?? 0);
  });
});
