import { stackParts } from '../../../../bin/admin/cloud/failed-stacks.ts';
import type { AwsAnswers } from '../../../support/admin/aws-simulator.ts';
import { closeServers } from '../../../support/loopback.ts';
import { CERTIFICATE, examine, type Line, named, settings, stacks } from '../../support/doctor.ts';

afterEach(closeServers);

describe('admin doctor', () => {
  describe('for a name whose certificate the deployment requests', () => {
    const file = { ...settings, publicNames: ['calls.example.com'] };
    const requested = CERTIFICATE.replace('0f0f0f0f', '1a1a1a1a');
    const resource = (type: string, id: string, status = 'CREATE_IN_PROGRESS') =>
      `<member><LogicalResourceId>x</LogicalResourceId><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId><ResourceStatus>${status}</ResourceStatus></member>`;
    const resources = (...members: string[]) => ({
      xml: `<StackResources>${members.join('')}</StackResources>`,
    });
    const record = { Name: '_a.calls.example.com.', Type: 'CNAME', Value: '_b.acm-validations.aws.' };
    const pending = {
      Status: 'PENDING_VALIDATION',
      DomainName: 'calls.example.com',
      DomainValidationOptions: [{ DomainName: 'calls.example.com', ResourceRecord: record }],
    };
    const during: AwsAnswers = {
      DescribeStacks: stacks({ certificates: { status: 'CREATE_IN_PROGRESS' } }),
      DescribeStackResources: resources(
        resource('AWS::CDK::Metadata', 'm'),
        resource('AWS::CertificateManager::Certificate', ''),
        resource('AWS::CertificateManager::Certificate', CERTIFICATE, 'DELETE_COMPLETE'),
        resource('AWS::CertificateManager::Certificate', requested),
      ),
      DescribeCertificate: ({ input }) =>
        input.CertificateArn === requested ? { Certificate: pending } : { error: 'ResourceNotFoundException' },
    };
    const ofCertificates = ({ wrong }: { wrong: Line[] }) => wrong.filter(({ check }) => check === 'certificates');

    it('names the DNS record while the deployment waits for it', async () => {
      expect(ofCertificates(await examine(during, { file }))).toEqual([
        {
          check: 'certificates',
          status: 'failed',
          message: 'The certificate of calls.example.com waits for the DNS record that proves the name.',
          fix: 'Set the DNS record _a.calls.example.com. CNAME _b.acm-validations.aws.',
        },
      ]);
    });

    it('reports no missing stacks while only certificates are deployed', async () => {
      const others = stackParts.filter((part) => part !== 'certificates');
      const { wrong } = await examine(
        {
          ...during,
          DescribeStacks: stacks({
            ...Object.fromEntries(others.map((part) => [part, undefined])),
            certificates: { status: 'CREATE_IN_PROGRESS' },
          }),
        },
        { file },
      );
      expect(wrong.filter(({ check }) => check === 'stacks')).toMatchObject([
        { status: 'warning', message: 'Not deployed yet.' },
      ]);
    });

    it('names the hosted zone in which the deployment sets the record', async () => {
      const hosted = { ...file, hostedZones: { 'example.com': 'Z0123456789ABCDEF' } };
      expect(ofCertificates(await examine(during, { file: hosted }))).toMatchObject([
        { status: 'failed', fix: expect.stringMatching(/name servers of example\.com .*Z0123456789ABCDEF/) },
      ]);
    });

    it('has no finding once it is issued', async () => {
      const { wrong } = await examine(
        {
          DescribeStackResources: resources(resource('AWS::CertificateManager::Certificate', requested)),
        },
        { file },
      );
      expect(wrong).toEqual([]);
    });

    it.each([
      ['its stack does not exist yet', { DescribeStacks: stacks({ certificates: undefined }) }],
      ['its stack does not have the name yet', { DescribeStackResources: resources() }],
    ])('warns that the next deployment requests it, if %s', async (_, answers) => {
      expect(ofCertificates(await examine(answers, { file }))).toEqual([
        {
          check: 'certificates',
          status: 'warning',
          message: 'The certificate of calls.example.com is not requested yet.',
          fix: 'npx cdk deploy certificates -c stage=prod',
        },
      ]);
    });

    it('finds the one of the dashboard in the stack of its region', async () => {
      const { wrong, requests } = await examine(
        {
          DescribeStackResources: ({ input }) =>
            resources(
              ...(input.StackName === named.stack('dashboard-certificate')
                ? [resource('AWS::CertificateManager::Certificate', requested)]
                : []),
            ),
          DescribeCertificate: { Certificate: { Status: 'ISSUED', DomainName: 'app.example.com' } },
        },
        { file: { ...settings, publicNames: undefined, dashboardUrl: 'https://app.example.com' } },
      );
      expect(wrong).toEqual([]);
      const ofStack = requests.filter(({ input }) => input.StackName === named.stack('dashboard-certificate'));
      expect(ofStack.map(({ operation }) => operation).sort()).toEqual(['DescribeStackResources', 'DescribeStacks']);
      expect(new Set(ofStack.map(({ region }) => region))).toEqual(new Set(['us-east-1']));
    });
  });
});
