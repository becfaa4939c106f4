import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bounded } from './aws.ts';

/**
 * Returns the options by which document clients convert items. A member named `constructor`, such as a lead's field,
 * makes an object look like a class instance, which the SDK otherwise refuses. A new object each time, because the SDK
 * changes it.
 */
export const marshallOptions = () => ({ removeUndefinedValues: true, convertClassInstanceToMap: true });

/** Creates the stores' DynamoDB client: plain objects in and out; undefined members are omitted. */
export function documentClient(bounds = bounded()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(bounds), { marshallOptions: marshallOptions() });
}
