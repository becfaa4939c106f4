import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const db = new DynamoDBClient({});

/** A route with only the SDK's client, bundled like ours but with all parts of the SDK. */
export const handler = async () => {
  const { Item } = await db.send(new GetItemCommand({ TableName: 'calls', Key: { call_id: { S: 'call_1' } } }));
  return { statusCode: Item ? 200 : 404 };
};
