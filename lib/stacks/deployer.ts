import { ArnFormat, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { names } from '../names.ts';
import { CLOUDFRONT_REGION, requestedCertificates } from '../own-names.ts';
import type { Stage } from '../stage.ts';

/** GitHub's issuer of job identities (GitHub guide, "OpenID Connect in Amazon Web Services"). */
const ISSUER = 'token.actions.githubusercontent.com';

/**
 * The role with which a repository's jobs deploy the stage, using short-lived credentials instead of a key
 * (docs/deploy.md, "Deploy from GitHub"). Its jobs run in the GitHub environment that has the stage's name.
 */
export class DeployerStack extends Stack {
  constructor(scope: Construct, id: string, { stage, from, ...props }: StackProps & { stage: Stage; from: string }) {
    super(scope, id, props);
    const named = names(stage.name);
    const role = new Role(this, 'role', {
      roleName: named.deployer,
      description: `Deploys the stage ${stage.name} from ${from}.`,
      maxSessionDuration: Duration.hours(2),
      assumedBy: new WebIdentityPrincipal(
        this.formatArn({ service: 'iam', region: '', resource: 'oidc-provider', resourceName: ISSUER }),
        {
          StringEquals: {
            [`${ISSUER}:aud`]: 'sts.amazonaws.com',
            [`${ISSUER}:sub`]: `repo:${from}:environment:${stage.name}`,
          },
        },
      ),
    });
    const hasCloudFrontRegionStack = requestedCertificates(stage)['dashboard-certificate'].length > 0;
    const regions = new Set([this.region, ...(hasCloudFrontRegionStack ? [CLOUDFRONT_REGION] : [])]);
    // CloudFormation does the work with its own role, which only these roles may pass to it.
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        resources: [...regions].flatMap((region) =>
          ['deploy', 'file-publishing', 'lookup'].map((of) =>
            this.formatArn({
              service: 'iam',
              region: '',
              resource: 'role',
              resourceName: `cdk-${this.synthesizer.bootstrapQualifier}-${of}-role-${this.account}-${region}`,
            }),
          ),
        ),
      }),
    );
    if (!stage.isRetained) this.#grantSmokeSetup(role, named);
  }

  /**
   * Grants the rights that the admin CLI needs for the organization of a smoke call. A stage with real data keeps that
   * organization.
   */
  #grantSmokeSetup(role: Role, named: ReturnType<typeof names>): void {
    const on = (service: string, resource: string, resourceName: string) => [
      this.formatArn({ service, resource, resourceName }),
    ];
    const grants: { actions: string[]; resources: string[]; conditions?: object }[] = [
      {
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'],
        resources: on('dynamodb', 'table', named.table('*')),
      },
      {
        actions: ['secretsmanager:PutSecretValue'],
        resources: [
          this.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: named.secret('*'),
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      },
      {
        // Seals the organization's callback secret. Limited by the key's alias, because each new stage has another key.
        actions: ['kms:Encrypt'],
        resources: on('kms', 'key', '*'),
        conditions: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': [named.keyAlias('callback-secrets')] } },
      },
      { actions: ['cloudformation:DescribeStacks'], resources: on('cloudformation', 'stack', `${named.stack('*')}/*`) },
    ];
    for (const grant of grants) role.addToPolicy(new PolicyStatement(grant));
  }
}
