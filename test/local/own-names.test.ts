import { ACMClient, DescribeCertificateCommand, RequestCertificateCommand } from '@aws-sdk/client-acm';
import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { requestedCertificates } from '../../lib/own-names.ts';
import { CertificatesStack } from '../../lib/stacks/certificates.ts';
import { DataStack } from '../../lib/stacks/data.ts';
import { EdgeStack } from '../../lib/stacks/edge.ts';
import { aStage, unchecked } from '../infra/support/synthesize.ts';
import { deployTemplate } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

const region = 'us-east-1';
const env = { region, account: '000000000000' };

let cloud: TestCloud;
let acm: ACMClient;
beforeAll(async () => {
  cloud = await TestCloud.start();
  acm = new ACMClient(cloud.config);
});
afterAll(() => cloud?.stop());

/** The resources that make up a name of the API. */
const ofNames = /^AWS::(ApiGatewayV2::(Api|Stage|DomainName|ApiMapping)|Logs::LogGroup)$/;

type Domain = { Type: string; Properties: { DomainNameConfigurations: { CertificateArn: unknown }[] } };

/**
 * Deploys a stage's certificates, if the settings request any, and then the names of its API.
 * @returns the ARNs of the certificates that the domain names have, and the physical ids of names and mappings
 */
async function deploy(publicNames: object) {
  const stage = aStage('prod', { region, publicNames });
  const app = new App({ ...unchecked, context: { '@aws-cdk/core:defaultCrossStackReferences': 'both' } });
  const { certificates: names } = requestedCertificates(stage);
  const requesting =
    names.length > 0
      ? new CertificatesStack(app, 'certificates', { stage, names, env, stackName: 'certificates' })
      : undefined;
  const data = new DataStack(app, 'data', { stage, env });
  const edge = new EdgeStack(app, 'edge', {
    ...{ stage, data, env, stackName: 'edge' },
    ...(requesting && { certificates: requesting.certificates }),
  });
  const all = Template.fromStack(edge).toJSON() as { Resources: Record<string, Domain> };
  const resources = Object.entries(all.Resources).filter(([, { Type }]) => ofNames.test(Type));
  const domains = resources.filter(([, { Type }]) => Type.endsWith('DomainName'));
  const outputs = domains.map(([id, { Properties }]) => [
    id,
    { Value: Properties.DomainNameConfigurations[0]?.CertificateArn },
  ]);
  if (requesting) {
    // Without the parameter of `cdk bootstrap`.
    const { Resources, Outputs } = Template.fromStack(requesting).toJSON();
    await deployTemplate(cloud.cloudFormation, 'certificates', { Resources, Outputs });
  }
  const arns = await deployTemplate(cloud.cloudFormation, 'edge', {
    Resources: Object.fromEntries(resources),
    Outputs: Object.fromEntries(outputs),
  });
  const { StackResources = [] } = await cloud.cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName: 'edge' }),
  );
  return {
    arns: Object.values(arns),
    ids: StackResources.map(({ PhysicalResourceId }) => PhysicalResourceId).sort(),
  };
}

const nameOf = async (CertificateArn: string | undefined) =>
  (await acm.send(new DescribeCertificateCommand({ CertificateArn }))).Certificate?.DomainName;

it('a name changes from a given certificate to a requested one and back, and stays the same name of the API', async () => {
  const DomainName = 'calls.example.com';
  const { CertificateArn: own = '' } = await acm.send(new RequestCertificateCommand({ DomainName }));

  const first = await deploy({ [DomainName]: own });
  expect(first.arns).toEqual([own]);

  const second = await deploy([DomainName]);
  const [requested] = second.arns;
  expect(requested).not.toBe(own);
  expect(await nameOf(requested)).toBe(DomainName);

  const third = await deploy({ [DomainName]: own });
  expect(third.arns).toEqual([own]);
  // The third deployment left the stack of certificates untouched, so the next one finds the same certificate there.
  const fourth = await deploy([DomainName]);
  expect(fourth.arns).toEqual([requested]);
  for (const later of [second, third, fourth]) expect(later.ids).toEqual(first.ids);
});

it('a certificate outlives the removal of its name from the settings, without an effect on other names', async () => {
  const both = await deploy(['calls.example.com', 'former.example.com']);
  expect(await Promise.all(both.arns.map(nameOf))).toEqual(['calls.example.com', 'former.example.com']);
  const [calls, former] = both.arns;

  expect((await deploy(['calls.example.com'])).arns).toEqual([calls]);
  expect(await nameOf(former)).toBe('former.example.com');
});
