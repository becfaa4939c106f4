import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import express from 'express';
import parsePhoneNumber from 'libphonenumber-js/max';
import { DateTime } from 'luxon';
import mammoth from 'mammoth';
import serverless from 'serverless-http';
import { z } from 'zod';

const db = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const others = [
  BedrockRuntimeClient,
  CognitoIdentityProviderClient,
  EventBridgeClient,
  S3Client,
  SchedulerClient,
  SecretsManagerClient,
  SQSClient,
].map((Client) => new Client({}));
const phone = z.string();

/** One function for every route, with the packages of all routes. */
const app = express();
app.use(express.json());
app.use(async (_request, response) => {
  const number = parsePhoneNumber(phone.parse('+919812345678'))?.number;
  const day = DateTime.now().setZone('Asia/Kolkata').toISODate();
  const { Item } = await db.send(new GetCommand({ TableName: 'calls', Key: { call_id: `${number}${day}` } }));
  const loaded = [others.length, typeof mammoth.extractRawText];
  response.status(Item ? 200 : 404).json({ loaded });
});

export const handler = serverless(app);
