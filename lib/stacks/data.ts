import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Secret, type SecretStringGenerator } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';
import { type TableName, tableRow, tables } from '../tables.ts';
import type { KeyName, SecretName } from '../uses.ts';

const GENERATED_KEY_CHARACTERS = 64;

/** Everything that must survive deployments: tables, files, secrets and keys; and the topic of all alarms. */
export class DataStack extends Stack {
  readonly tables: Record<TableName, TableV2>;
  readonly files: Bucket;
  readonly keys: Record<KeyName, Key>;
  readonly alarms: Topic;

  constructor(scope: Construct, id: string, { stage, ...props }: StackProps & { stage: Stage }) {
    super(scope, id, props);
    const named = names(stage.name);
    const removalPolicy = stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    this.tables = Object.fromEntries(
      (Object.keys(tables) as TableName[]).map((name) => [name, this.#table(name, stage, removalPolicy)]),
    ) as Record<TableName, TableV2>;

    this.files = new Bucket(this, 'files', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: stage.isRetained,
      removalPolicy,
      lifecycleRules: [
        { id: 'incomplete-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        { id: 'replaced-versions', noncurrentVersionExpiration: Duration.days(30) },
      ],
    });

    this.#secret(
      'voice',
      stage,
      'The voice platform account: {"api_key", "phone_number_id"}. admin secret set --name voice',
    );
    this.#secret('voice-webhook-key', stage, 'Signs call ids, so that a platform message is known to be genuine.', {
      passwordLength: GENERATED_KEY_CHARACTERS,
      excludePunctuation: true,
    });

    this.#secret(
      'crm-b-oauth',
      stage,
      "CRM-B's OAuth clients, one a data center. admin secret set --name crm-b-oauth --data-center in",
    );
    this.#secret(
      'help-desk-oauth',
      stage,
      "The help desk's OAuth clients, one a data center. admin secret set --name help-desk-oauth --data-center in",
    );
    this.#secret('recording-link-key', stage, 'Signs the links to recordings that stand in CRM-B.', {
      passwordLength: GENERATED_KEY_CHARACTERS,
      excludePunctuation: true,
    });

    const key = (name: KeyName, description: string) =>
      new Key(this, `${name}-key`, {
        alias: named.keyAlias(name),
        description,
        enableKeyRotation: true,
        removalPolicy,
      });
    this.keys = {
      'callback-secrets': key('callback-secrets', "Seals the orgs' callback signing secrets, each under its org."),
      'oauth-tokens': key('oauth-tokens', 'Seals the OAuth tokens of connections, each under its connection.'),
    };

    this.alarms = new Topic(this, 'alarms', { enforceSSL: true });
    // An explicit policy replaces the default one, which had admitted CloudWatch.
    this.alarms.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.alarms.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (stage.alarmEmail) this.alarms.addSubscription(new EmailSubscription(stage.alarmEmail));
    new CfnOutput(this, 'AlarmTopicArn', { value: this.alarms.topicArn });
    new CfnOutput(this, 'FilesBucketName', { value: this.files.bucketName });
  }

  #secret(name: SecretName, stage: Stage, description: string, generateSecretString?: SecretStringGenerator): void {
    new Secret(this, `secret-${name}`, {
      secretName: names(stage.name).secret(name),
      description,
      removalPolicy: stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(generateSecretString && { generateSecretString }),
    });
  }

  #table(name: TableName, stage: Stage, removalPolicy: RemovalPolicy): TableV2 {
    const row = tableRow(name);
    const key = (attribute: string) => ({ name: attribute, type: AttributeType.STRING });
    const indexes = (row.indexes ?? []).map(
      ({ name: indexName, partitionKey, sortKey, attributes }): GlobalSecondaryIndexPropsV2 => ({
        indexName,
        partitionKey: key(partitionKey),
        ...(sortKey && { sortKey: key(sortKey) }),
        ...(attributes?.length === 0 && { projectionType: ProjectionType.KEYS_ONLY }),
        ...(attributes?.length && { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...attributes] }),
      }),
    );
    return new TableV2(this, `table-${name}`, {
      tableName: names(stage.name).table(name),
      partitionKey: key(row.partitionKey),
      ...(row.sortKey && { sortKey: key(row.sortKey) }),
      ...(row.expiresAt && { timeToLiveAttribute: row.expiresAt }),
      ...(row.hasStream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      globalSecondaryIndexes: indexes,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: stage.isRetained,
      removalPolicy,
    });
  }
}
