import { ArnFormat, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import type { Construct } from 'constructs';
import type { Stage } from '../stage.ts';

/**
 * The upload of the dashboard's pages into the bucket of `edge`. Deployed after all routes, because pages call them
 * (docs/decisions/0048-pages-after-routes.md).
 *
 * It uploads the files, which have a hash in their name and never change, and then the page that names them. Former
 * files stay, for pages that are open.
 */
export class PagesStack extends Stack {
  /** @param props.site folder with the dashboard's pages. */
  constructor(
    scope: Construct,
    id: string,
    { stage, site, bucket, ...props }: StackProps & { stage: Stage; site: string; bucket: Bucket },
  ) {
    super(scope, id, props);
    const logGroup = new LogGroup(this, 'log', {
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const assets = this.formatArn({
      service: 's3',
      region: '',
      account: '',
      resource: `cdk-${this.synthesizer.bootstrapQualifier}-assets-${this.account}-${this.region}`,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    });
    const allow = (actions: string[], ...resources: string[]) =>
      role.addToPolicy(new PolicyStatement({ actions, resources }));
    allow(['s3:GetObject'], `${assets}/*`);
    allow(['s3:ListBucket'], assets, bucket.bucketArn);
    allow(['s3:PutObject'], bucket.arnForObjects('*'));
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn);
    const upload = (name: string, exclude: string[], include: string[], cacheControl: CacheControl[]) =>
      new BucketDeployment(this, name, {
        sources: [Source.asset(site)],
        destinationBucket: bucket,
        // CDK's own grants contain wildcards.
        role: role.withoutPolicyUpdates(),
        logGroup,
        prune: false,
        exclude,
        include,
        cacheControl,
      });
    const files = upload('files', ['index.html'], [], [CacheControl.fromString('public, max-age=31536000, immutable')]);
    const page = upload('page', ['*'], ['index.html'], [CacheControl.noCache()]);
    page.node.addDependency(files, role);
  }
}
