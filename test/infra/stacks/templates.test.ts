import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationValidatePlugin, type PolicyValidationStack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { startLint } from '../../lint/cfn-lint.ts';
import { differences } from '../../lint/differences.ts';
import { isDeadLetters } from '../support/resources.ts';
import { disposable } from '../support/stages/disposable.ts';
import { prod } from '../support/stages/prod.ts';

const REPORT = {
  ...{ ReportName: 'costs', S3Bucket: 'reports', S3Prefix: 'costs', S3Region: 'us-east-1', TimeUnit: 'DAILY' },
  ...{ Format: 'textORcsv', Compression: 'GZIP', ReportVersioning: 'CREATE_NEW_REPORT', RefreshClosedReports: true },
};
/** A region that has all types of resources, and the one of docs/deploy.md. */
const REGIONS = ['us-east-1', 'ap-south-1'];
/** A type of resources that only the first region has. */
const ofOneRegion = { Resources: { Report: { Type: 'AWS::CUR::ReportDefinition', Properties: REPORT } } };

let findings: Awaited<ReturnType<typeof startLint>>['findings'];

beforeAll(async () => {
  const others = Object.entries(disposable.templates).flatMap(([name, template]) => {
    const former = prod.templates[name.replace('-try-', '-prod-')];
    const different = differences(template, former, (text) => text.replaceAll(/(?<=[-/])try\b/g, 'prod'));
    return different ? [[name, different] as const] : [];
  });
  // Runs during the other checks. One process lints both stages, because its start takes seconds of CPU time. A second
  // region takes none that can be measured.
  ({ findings } = await startLint({ ...prod.templates, ...Object.fromEntries(others), ofOneRegion }, REGIONS));
}, 60_000);

describe("the CDK's own check", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'calling-service-check-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the check on these templates, because a synthesis only prints its findings. */
  function violationsIn(templates: Record<string, object>) {
    const stackTemplates: PolicyValidationStack[] = Object.entries(templates).map(([name, template]) => {
      const templatePath = join(folder, `${name}.template.json`);
      writeFileSync(templatePath, JSON.stringify(template));
      return { templatePath, stackConstructPath: name, region: 'us-east-1', accountId: undefined };
    });
    const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
    const { violations } = checker.validate({ templatePaths, stackTemplates, appConstruct: prod.app });
    return violations.map(({ ruleName, description }) => [ruleName, description]);
  }
  const checker = new CloudFormationValidatePlugin();

  it('finds no violation in a template', () => {
    expect(violationsIn(prod.templates)).toEqual([]);
  });

  it('finds the violation in a wrong template', () => {
    const Topic = { Type: 'AWS::SNS::Topic', Properties: { Name: 'alarms' } };
    expect(violationsIn({ wrong: { Resources: { Topic } } })).toEqual([['F3002', expect.stringContaining('Name')]]);
  });
});

const OF_ANY_ROLE = /-parts\/role\/DefaultPolicy\/Resource$/;
const OF_A_PREFIX =
  /^AwsSolutions-IAM5\[Resource::.*files.*\/(reported-transcripts|knowledge|transcripts|recordings)\/\*\]$/;
const OF_A_SCHEDULE_GROUP =
  /^AwsSolutions-IAM5\[Resource::.*:scheduler:.*:schedule\/.*OutputRef(callbacks|releases|tickets)schedules.*\/\*\]$/;

/** Accepted findings of cdk-nag, and their resources. The test fails on all others. */
const accepted: [finding: RegExp, at: RegExp][] = [
  // Only our functions access the bucket, and access logs would be a second store of called people.
  [/^AwsSolutions-S1$/, /^data\/files\//],
  // Only the distribution reads the pages, which are public.
  [/^AwsSolutions-S1$/, /^edge\/site\/pages\//],
  // Long passwords without rules for their characters (NIST SP 800-63B, 3.1.1.2); MFA is the operator's decision.
  [/^AwsSolutions-COG[128]$/, /^data\/people\//],
  // Members may live anywhere; the API has throttles and an access log of its own; without a certificate of the
  // operator, CloudFront's own one allows older TLS.
  [/^AwsSolutions-CFR[1234]$/, /^edge\/site\/distribution\//],
  // The objects of the two buckets.
  [
    /^AwsSolutions-IAM5\[Resource::(arn:<AWS::Partition>:s3:::cdk-[a-z0-9]+-assets-.*|.*"PublishOutputFnGetAttsitepages\w+"}})\/\*\]$/,
    /^pages\/role\//,
  ],
  // The CDK's own function, which runs only during a deployment.
  [/^(AwsSolutions-L1|Serverless-Lambda(DLQ|LatestVersion|Tracing))$/, /^pages\/Custom::CDKBucketDeployment/],
  // The platform account has no interface for a rotation. The operator replaces the webhook key, and both are accepted.
  [/^AwsSolutions-SMG4$/, /^data\/secret-/],
  // These queues hold the dead letters; the pack recognizes only those that a queue of the same stack names.
  [/^(AwsSolutions-SQS3|Serverless-SQSRedrivePolicy)$/, /(dead-letters|-failures)\/queue\/Resource$/],
  // The functions check keys and signatures. An authorizer would add a round trip to every request.
  [/^AwsSolutions-APIG4$/, /^(api|dashboard)\//],
  // The functions send no segments, because the id in their logs follows a call (docs/tracing.md, "Follow one
  // call").
  [/^Serverless-LambdaTracing$/, /^(api|dashboard|workers)\/[a-z-]+\/Resource$/],
  // CloudWatch checks this right on all alarms, whichever alarms the request names.
  [/^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:cloudwatch:.*:alarm:\*\]$/, /^(api|workers)\/canaries\/role\//],
  // The objects below one prefix of the bucket.
  [OF_A_PREFIX, OF_ANY_ROLE],
  // The schedules of one group, whose names depend on their messages.
  [OF_A_SCHEDULE_GROUP, /^workers\/(notify-callback|schedule-release|create-ticket)-parts\//],
  // An undelivered mail needs no later work, because the alarm stays active until a person reads it.
  [/^Serverless-SNSRedrivePolicy$/, /^data\/(alarms|warnings)\//],
  // Only recover-calls is invoked asynchronously, and its next run is its retry. Queues and streams have dead letters.
  [/^Serverless-LambdaDLQ$/, /^(api|dashboard|workers)\/[a-z-]+\/Resource$/],
  // A queue has a redrive policy instead; destinations of a mapping are for streams.
  [/^Serverless-LambdaEventSourceMappingDestination$/, /\/SqsEventSource:/],
];

describe('cdk-nag', () => {
  const findingsOf = (pack: NagPack) =>
    pack.validateScope(prod.app).violations.flatMap(({ ruleName, violatingResources = [] }) =>
      violatingResources.map((found) => ({
        rule: ruleName,
        at: (found as { constructPath?: string }).constructPath ?? '',
      })),
    );
  const matches = ({ rule, at }: { rule: string; at: string }, [finding, place]: [RegExp, RegExp]) =>
    finding.test(rule) && place.test(at);
  let ofAwsSolutions: ReturnType<typeof findingsOf>;
  let ofServerless: ReturnType<typeof findingsOf>;
  beforeAll(() => {
    ofAwsSolutions = findingsOf(new AwsSolutionsChecks(prod.app));
    ofServerless = findingsOf(new ServerlessChecks(prod.app));
  });

  it('finds only accepted violations', () => {
    const all = [...ofAwsSolutions, ...ofServerless];
    expect(all.filter((found) => !accepted.some((exception) => matches(found, exception)))).toEqual([]);
  });

  it('finds every accepted violation, so that no exception is obsolete', () => {
    const all = [...ofAwsSolutions, ...ofServerless];
    const obsolete = accepted.filter((exception) => !all.some((found) => matches(found, exception)));
    expect(obsolete.map(([finding]) => String(finding))).toEqual([]);
  });

  it('accepts only dead-letter queues as queues without a redrive policy', () => {
    const withoutRedrive = ofServerless.filter(({ rule }) => rule === 'Serverless-SQSRedrivePolicy');
    const deadLetters = prod.ofType('AWS::SQS::Queue').filter(isDeadLetters);
    expect(deadLetters.length).toBeGreaterThan(0);
    expect(withoutRedrive).toHaveLength(deadLetters.length);
  });
});

// At the end of the file, because cfn-lint takes longer than the checks above.
describe('every template', () => {
  const findingsOf = async (prefix: string) => (await findings)?.filter(({ at }) => at.startsWith(prefix)) ?? [];

  it('has no error and no unexplained warning of cfn-lint', async () => {
    expect(await findingsOf('calling-service-prod-')).toEqual([]);
  });

  it('of a disposable stage has no error and no unexplained warning of cfn-lint either', async () => {
    expect(await findingsOf('calling-service-try-')).toEqual([]);
  });

  it('is checked in several regions, which is proven by a type that one of them does not have', async () => {
    if ((await findings) === undefined) return;
    expect(await findingsOf('ofOneRegion')).toEqual([
      expect.objectContaining({ rule: 'E3006', message: expect.stringContaining("does not exist in 'ap-south-1'") }),
    ]);
  });
});
