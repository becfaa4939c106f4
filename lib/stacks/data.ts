import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccountRecovery, Mfa, UserPool, type UserPoolClient, UserPoolEmail } from 'aws-cdk-lib/aws-cognito';
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Secret, type SecretStringGenerator } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { MIN_PASSWORD_CHARACTERS } from '../../shared/domain/organizations/members/password.ts';
import { NO_RETENTION, RETENTION_DAYS, RETENTION_TAG } from '../../shared/domain/organizations/retention.ts';
import type { AlarmTopics } from '../constructs/alarm.ts';
import { createEmptyingLog } from '../constructs/emptying-log.ts';
import { publish } from '../constructs/published-values.ts';
import { names, restoredText } from '../names.ts';
import { isEmptied, type Stage } from '../stage.ts';
import { type TableName, tableRow, tables } from '../tables.ts';
import type { KeyName, SecretName } from '../uses.ts';

const GENERATED_KEY_CHARACTERS = 64;

/**
 * Denies changing or deleting an item to everyone, including principals with all rights in the account. It cannot deny
 * replacing an item by Put. Transactions need the rights of their writes (DynamoDB guide, "Using IAM with
 * transactions").
 */
const appendOnly = () =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: [
          'dynamodb:UpdateItem',
          'dynamodb:DeleteItem',
          'dynamodb:BatchWriteItem',
          'dynamodb:PartiQLInsert',
          'dynamodb:PartiQLUpdate',
          'dynamodb:PartiQLDelete',
        ],
        // The policy belongs to the table: its ARN here would be a circular reference.
        resources: ['*'],
      }),
    ],
  });

/** Everything that must survive deployments: tables, files, people, secrets and keys, and the alarms' topics. */
export class DataStack extends Stack {
  readonly tables: Record<TableName, TableV2>;
  readonly files: Bucket;
  readonly keys: Record<KeyName, Key>;
  /** Encrypts the objects of `files`. Only S3 uses it, for principals that may read or write an object. */
  readonly filesKey: Key;
  readonly alarms: AlarmTopics;
  /** The dashboard's users. */
  readonly userPool: UserPool;
  readonly userPoolClient: UserPoolClient;

  constructor(scope: Construct, id: string, { stage, ...props }: StackProps & { stage: Stage }) {
    super(scope, id, props);
    const named = names(stage.name);
    const removalPolicy = stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    this.tables = Object.fromEntries(
      (Object.keys(tables) as TableName[]).map((name) => [name, this.#table(name, stage, removalPolicy)]),
    ) as Record<TableName, TableV2>;

    const key = (name: KeyName | 'files', description: string) =>
      new Key(this, `${name}-key`, {
        alias: named.keyAlias(name),
        description,
        enableKeyRotation: true,
        ...(stage.multiRegionKeys && { multiRegion: true }),
        removalPolicy,
      });
    this.filesKey = key('files', 'Encrypts the files of calls and the documents of knowledge bases.');
    this.files = new Bucket(this, 'files', {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.filesKey,
      // Without it, each object costs a request to KMS.
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: stage.isRetained,
      removalPolicy,
      autoDeleteObjects: isEmptied(stage),
      lifecycleRules: [
        { id: 'incomplete-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Also removes a delete marker whose old versions are gone.
        {
          id: 'replaced-versions',
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
        },
        // A person may have removed a document because of the personal data in it.
        { id: 'removed-knowledge', prefix: 'knowledge/', noncurrentVersionExpiration: Duration.days(1) },
        // Old versions of transcripts that were removed, or that a repeated report has replaced.
        {
          id: 'removed-reports',
          prefix: 'reported-transcripts/',
          noncurrentVersionExpiration: Duration.days(1),
        },
        ...RETENTION_DAYS.map((days) => ({
          id: `kept-${days}-days`,
          tagFilters: { [RETENTION_TAG]: String(days) },
          expiration: Duration.days(days),
          noncurrentVersionExpiration: Duration.days(1),
        })),
      ],
    });

    createEmptyingLog(this, stage);

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
      "CRM-B's OAuth clients, one per data center. admin secret set --name crm-b-oauth --data-center in",
    );
    this.#secret(
      'help-desk-oauth',
      stage,
      "The help desk's OAuth clients, one per data center. admin secret set --name help-desk-oauth --data-center in",
    );
    this.#secret('recording-link-key', stage, 'Signs the links to recordings in notes of CRM-B.', {
      passwordLength: GENERATED_KEY_CHARACTERS,
      excludePunctuation: true,
    });

    this.#secret('person-key', stage, 'Names erased persons and signs the receipts of erasures. Never replaced.', {
      passwordLength: GENERATED_KEY_CHARACTERS,
      excludePunctuation: true,
    });

    this.#secret(
      'do-not-call-key',
      stage,
      'Hides the numbers of erased persons on do-not-call lists. Never replaced.',
      {
        passwordLength: GENERATED_KEY_CHARACTERS,
        excludePunctuation: true,
      },
    );

    this.keys = {
      'callback-secrets': key('callback-secrets', "Seals the orgs' callback signing secrets, each under its org."),
      'oauth-tokens': key('oauth-tokens', 'Seals the OAuth tokens of connections, each under its connection.'),
    };

    this.userPool = this.#userPool(stage, removalPolicy);
    this.userPoolClient = this.#userPoolClient();

    this.alarms = { urgent: this.#topic('alarms', stage), warning: this.#topic('warnings', stage) };
    new CfnOutput(this, 'AlarmTopicArn', { value: this.alarms.urgent.topicArn });
    new CfnOutput(this, 'WarningTopicArn', { value: this.alarms.warning.topicArn });
    new CfnOutput(this, 'UserPoolId', { value: this.userPool.userPoolId });
    new CfnOutput(this, 'UserPoolClientId', { value: this.userPoolClient.userPoolClientId });
    new CfnOutput(this, 'Retention', { value: stage.retention ?? NO_RETENTION });
    // Operators' commands compare it with their checkout (bin/admin/cloud/stale-checkout.ts).
    new CfnOutput(this, 'RestoredTables', { value: restoredText(stage.restored) });
    new CfnOutput(this, 'FilesBucketName', { value: this.files.bucketName });
    this.#publish();
  }

  /** Publishes the values that functions of another version may use. */
  #publish(): void {
    const { files, filesKey, userPool, userPoolClient, alarms } = this;
    const streams = Object.entries(this.tables).flatMap(([name, { tableStreamArn }]) =>
      tableRow(name as TableName).hasStream && tableStreamArn ? [tableStreamArn] : [],
    );
    publish(this, [
      ...Object.values(this.tables).flatMap(({ tableName, tableArn }) => [tableName, tableArn]),
      ...streams,
      ...[filesKey, ...Object.values(this.keys)].map(({ keyArn }) => keyArn),
      ...[files.bucketName, files.bucketArn, files.bucketRegionalDomainName],
      ...[userPool.userPoolId, userPool.userPoolArn, userPoolClient.userPoolClientId],
      ...[alarms.urgent.topicArn, alarms.warning.topicArn],
    ]);
  }

  #topic(id: string, { alarmEmail }: Stage): Topic {
    const topic = new Topic(this, id, { enforceSSL: true });
    // An explicit policy replaces the default one, which would have admitted CloudWatch.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }

  #secret(name: SecretName, stage: Stage, description: string, generateSecretString?: SecretStringGenerator): void {
    new Secret(this, `secret-${name}`, {
      secretName: names(stage.name).secret(name),
      description,
      removalPolicy: stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(generateSecretString && { generateSecretString }),
    });
  }

  /**
   * Creates the pool of the dashboard's users. Only invited people get access. MFA is possible, so that requiring it
   * later needs no new pool.
   */
  #userPool(stage: Stage, removalPolicy: RemovalPolicy): UserPool {
    const { mailFrom, mailIdentity } = stage;
    const where = stage.dashboardUrl ? ` at ${stage.dashboardUrl}` : '';
    return new UserPool(this, 'people', {
      userPoolName: names(stage.name).stack('people'),
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      passwordPolicy: {
        minLength: MIN_PASSWORD_CHARACTERS,
        // Requires length, not kinds of characters (NIST SP 800-63B, 3.1.1.2).
        requireLowercase: false,
        requireUppercase: false,
        requireDigits: false,
        requireSymbols: false,
        tempPasswordValidity: Duration.days(7),
      },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      userInvitation: {
        emailSubject: 'Your invitation to the calling service',
        emailBody: `<p>You are invited to the dashboard of the calling service.</p><p>Sign in${where} with {username} and the first password <b>{####}</b> within 7 days. You then choose your own.</p>`,
      },
      // People neither register nor change their address, so all codes are for forgotten passwords.
      userVerification: {
        emailSubject: 'Your code for a new password',
        emailBody:
          'Your code for a new password in the dashboard of the calling service is {####}. If you did not request it, ignore this e-mail: your password stays the same.',
      },
      ...(mailFrom &&
        mailIdentity && {
          email: UserPoolEmail.withSES({
            fromEmail: mailFrom,
            sesRegion: stage.region,
            ...(mailIdentity !== mailFrom && { sesVerifiedDomain: mailIdentity }),
          }),
        }),
      deletionProtection: stage.isRetained,
      removalPolicy,
    });
  }

  /**
   * Creates the client that the dashboard's functions use with the rights of their roles. Its id alone cannot start a
   * session from outside. A stolen access token is valid for at most 10 minutes.
   */
  #userPoolClient(): UserPoolClient {
    return this.userPool.addClient('dashboard', {
      authFlows: { adminUserPassword: true },
      disableOAuth: true,
      generateSecret: false,
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      accessTokenValidity: Duration.minutes(10),
      idTokenValidity: Duration.minutes(10),
      refreshTokenValidity: Duration.days(7),
    });
  }

  #table(name: TableName, stage: Stage, removalPolicy: RemovalPolicy): TableV2 {
    const row = tableRow(name);
    const key = (attribute: string) => ({ name: attribute, type: AttributeType.STRING });
    const isLeftOut = (index: string) => stage.withoutIndexes?.split(',').includes(`${name}/${index}`);
    const wanted = (row.indexes ?? []).filter((index) => !isLeftOut(index.name));
    const indexes = wanted.map(
      ({ name: indexName, partitionKey, sortKey, attributes }): GlobalSecondaryIndexPropsV2 => ({
        indexName,
        partitionKey: key(partitionKey),
        ...(sortKey && { sortKey: key(sortKey) }),
        ...(attributes?.length === 0 && { projectionType: ProjectionType.KEYS_ONLY }),
        ...(attributes?.length && { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...attributes] }),
      }),
    );
    const ending = stage.restored?.[name];
    // A restored table is another resource, so that its stream and name reach the other stacks.
    return new TableV2(this, `table-${name}${ending ? `-${ending}` : ''}`, {
      tableName: names(stage.name, stage.restored).table(name),
      partitionKey: key(row.partitionKey),
      ...(row.sortKey && { sortKey: key(row.sortKey) }),
      ...(row.expiresAt && { timeToLiveAttribute: row.expiresAt }),
      ...(row.hasStream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      ...(row.isAppendOnly && { resourcePolicy: appendOnly() }),
      globalSecondaryIndexes: indexes,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: stage.isRetained,
      removalPolicy,
    });
  }
}
