import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { DateTime } from 'luxon';
import { z } from 'zod';

const logger = new Logger();
const db = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const queue = new SQSClient({});
const request = z.object({ phone: z.string(), at: z.string() });

/** A route as it is usually written, with all of zod and the parsers of days and numbers. */
export const handler = middy(async (event: APIGatewayProxyEventV2) => {
  const { phone, at } = request.parse({ phone: '+919812345678', at: '2026-11-23T10:00', ...event.pathParameters });
  const day = DateTime.fromISO(at, { zone: 'Asia/Kolkata' }).toISODate();
  const number = parsePhoneNumberFromString(phone, 'IN')?.number;
  const { Item } = await db.send(new GetCommand({ TableName: 'calls', Key: { call_id: `${number}${day}` } }));
  logger.info('done', { region: await queue.config.region() });
  return { statusCode: Item ? 200 : 404 };
});
