import { ArnFormat } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { modelArns } from '../model.ts';
import { names } from '../names.ts';
import type { DataStack } from '../stacks/data.ts';
import type { Use } from '../uses.ts';
import type { Resources } from './resources.ts';

/** Allows writing only these attributes, and returning no others (DynamoDB guide, "Fine-grained access"). */
const updating = (attributes: readonly string[], tableArn: string) =>
  new PolicyStatement({
    actions: ['dynamodb:UpdateItem'],
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...attributes] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
    },
  });

/** Allows an action only on single items of these partitions. @param partitions with wildcards */
const inPartitions = (action: 'GetItem' | 'ConditionCheckItem', partitions: readonly string[], tableArn: string) =>
  new PolicyStatement({
    actions: [`dynamodb:${action}`],
    resources: [tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] } },
  });

/**
 * Allows the use of the bucket's key that these actions require: S3 encrypts an object on put, and decrypts the parts
 * of an upload to join them (Amazon S3 guide, "Using SSE-KMS"). Only via S3.
 */
function throughFilesKey(actions: readonly string[], data: DataStack): PolicyStatement[] {
  const isPutting = actions.includes('PutObject');
  const isReading = actions.some((action) => action === 'GetObject' || action === 'AbortMultipartUpload');
  const used = [...(isReading ? ['kms:Decrypt'] : []), ...(isPutting ? ['kms:GenerateDataKey'] : [])];
  if (used.length === 0) return [];
  return [
    new PolicyStatement({
      actions: used,
      resources: [data.filesKey.keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': `s3.${data.region}.amazonaws.com`,
          'kms:EncryptionContext:aws:s3:arn': data.files.bucketArn,
        },
      },
    }),
  ];
}

/**
 * Allows sending only as this address. SES knows it as an identity of its own, or by its domain (Amazon SES guide,
 * "Identity and access management").
 */
function sending(from: string, data: DataStack): PolicyStatement {
  const identity = (resourceName: string) => data.formatArn({ service: 'ses', resource: 'identity', resourceName });
  return new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [identity(from), identity(from.slice(from.indexOf('@') + 1))],
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  });
}

/** Returns the fewest rights that make the use work. */
export function rightsOf(use: Use, { stage, data, messaging }: Resources): PolicyStatement[] {
  const allow = (actions: readonly string[], ...resources: string[]) =>
    new PolicyStatement({ actions: [...actions], resources });
  switch (use.kind) {
    case 'table': {
      const { tableArn } = data.tables[use.table];
      const actions = (names: readonly string[]) => names.map((action) => `dynamodb:${action}`);
      const { updatable, gettable, checkable } = use;
      const limited = [updatable && 'UpdateItem', gettable && 'GetItem', checkable && 'ConditionCheckItem'];
      const free = use.actions.filter((action) => !limited.includes(action));
      return [
        ...(free.length > 0 ? [allow(actions(free), tableArn)] : []),
        ...(updatable ? [updating(updatable, tableArn)] : []),
        ...(gettable ? [inPartitions('GetItem', gettable, tableArn)] : []),
        ...(checkable ? [inPartitions('ConditionCheckItem', [checkable], tableArn)] : []),
        ...Object.entries(use.indexes ?? {}).map(([index, names]) =>
          allow(actions(names), `${tableArn}/index/${index}`),
        ),
      ];
    }
    case 'files':
      return [
        allow(
          use.actions.map((action) => `s3:${action}`),
          ...use.prefixes.map((prefix) => data.files.arnForObjects(`${prefix}*`)),
        ),
        ...throughFilesKey(use.actions, data),
      ];
    case 'queueUrl':
      return [allow(['sqs:SendMessage'], messaging.queues[use.queue].queueArn)];
    case 'secret':
      // Secrets Manager appends six characters to the name.
      return [
        allow(
          ['secretsmanager:GetSecretValue'],
          data.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: `${names(stage.name).secret(use.secret)}-??????`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ),
      ];
    case 'key':
      return [
        allow(
          use.actions.map((action) => `kms:${action}`),
          data.keys[use.key].keyArn,
        ),
      ];
    case 'bus':
      return [allow(['events:PutEvents'], messaging.bus.eventBusArn)];
    case 'model':
      return [
        allow(
          ['bedrock:InvokeModel'],
          ...modelArns(stage.modelId, { region: stage.region, account: data.account, partition: data.partition }),
        ),
      ];
    case 'mailFrom':
      return stage.mailFrom === undefined ? [] : [sending(stage.mailFrom, data)];
    case 'schedulesGroup':
      // A schedule's ARN contains its group's name, not the group's ARN.
      return [
        allow(
          ['scheduler:CreateSchedule'],
          messaging.formatArn({
            service: 'scheduler',
            resource: 'schedule',
            resourceName: `${messaging.schedules[use.of].groupName}/*`,
          }),
        ),
      ];
    case 'schedulesRole':
      return [
        new PolicyStatement({
          actions: ['iam:PassRole'],
          resources: [messaging.schedules[use.of].role.roleArn],
          conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
        }),
      ];
    case 'userPool':
      return [
        allow(
          use.actions.map((action) => `cognito-idp:${action}`),
          data.userPool.userPoolArn,
        ),
      ];
    case 'userPoolClient':
    case 'queueArn':
    case 'setting':
      return [];
  }
}
