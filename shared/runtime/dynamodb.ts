import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bounded } from './aws.ts';

/** DynamoDB for stores: plain objects in and out, members that are undefined are left out. */
export function documentClient(bounds = bounded()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(bounds), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
