import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const db = new DynamoDBClient({});

/** A route with the SDK's client and nothing else, bundled as ours. */
export const handler = async () => {
  const { Item } = await db.send(new GetItemCommand({ TableName: 'calls', Key: { call_id: { S: 'call_1' } } }));
  return { statusCode: Item ? 200 : 404 };
};
