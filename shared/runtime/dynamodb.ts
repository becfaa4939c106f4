import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bounded } from './aws.ts';

/** Creates the stores' DynamoDB client: plain objects in and out; undefined members are omitted. */
export function documentClient(bounds = bounded()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(bounds), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
