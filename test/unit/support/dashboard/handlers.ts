import '../silence.ts';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { functionRow } from '../../../../lib/functions.ts';
import type { Use } from '../../../../lib/uses.ts';
import { DASHBOARD_PATH } from '../../../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../../shared/messages/dashboard/routes.ts';
import { aContext, anHttpEvent } from '../lambda.ts';
import type { aWorld } from '../worlds/world.ts';

export const DASHBOARD_URL = 'https://dashboard.example';

const settings: Record<string, string> = {
  name: 'test',
  dashboardUrl: DASHBOARD_URL,
  publicUrl: 'https://svc.example',
  voiceApiUrl: 'http://127.0.0.1:1',
  helpDeskScopes: 'HB.basic.READ',
  showFirstPasswords: 'false',
};

/** The value of a function's variable, as the deployment sets it. */
function variableOf(use: Use): string | undefined {
  switch (use.kind) {
    case 'table':
      return use.table;
    case 'queueUrl':
      return `https://sqs.example/${use.queue}`;
    case 'setting':
      return settings[use.setting] ?? (use.isOptional ? undefined : '1000');
    default:
      return use.kind;
  }
}

const clients = [
  BedrockRuntimeClient,
  CognitoIdentityProviderClient,
  KMSClient,
  S3Client,
  SecretsManagerClient,
  SQSClient,
];

/** Lets a function answer for all clients of these classes. */
function replaceSend(classes: readonly { prototype: object }[], send: unknown): void {
  for (const { prototype } of classes) Object.assign(prototype, { send });
}

/** The tests of other files share the classes, so call this at the end. */
export function restoreClients(): void {
  for (const { prototype } of [DynamoDBDocumentClient, ...clients]) Reflect.deleteProperty(prototype, 'send');
}

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

async function handlerOf(name: DashboardRouteName): Promise<Handler> {
  const { entry, uses } = functionRow(name);
  // The modules of the functions are shared with other tests (test/unit/runtime/metrics.test.ts).
  process.env.METRICS_NAMESPACE = 'CallingService/test';
  for (const [variable, use] of Object.entries(uses)) {
    const value = variableOf(use);
    if (value !== undefined) process.env[variable] = value;
  }
  return (await import(`../../../../functions/${entry}.ts`)).handler;
}

export type Answer = { status: number; body: Record<string, unknown>; cookies: string[] };

export type Asking = {
  /** The text of the body; an object is sent as JSON. */
  body?: object | string;
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  cookies?: string[];
  /** Claims of the token; null if the route has none. */
  claims?: Record<string, unknown> | null;
};

/**
 * Runs the dashboard's functions as deployed, on the tables of a world.
 * @param answers of the AWS services besides DynamoDB, by the name of the command
 */
export function dashboardHandlers(
  world: Pick<ReturnType<typeof aWorld>, 'send'>,
  answers: Record<string, (input: never) => object>,
) {
  const asked: string[] = [];
  const answer = async (command: { input: never }) => {
    const name = command.constructor.name.replace(/Command$/, '');
    asked.push(name);
    const found = answers[name];
    if (!found) throw new Error(`no answer to ${name}`);
    return found(command.input);
  };
  replaceSend([DynamoDBDocumentClient], world.send);
  replaceSend(clients, answer);

  return {
    asked,
    async ask(
      name: DashboardRouteName,
      { body, path, query, headers, cookies, claims = {} }: Asking = {},
    ): Promise<Answer> {
      const handler = await handlerOf(name);
      const { method } = dashboardRoutes[name];
      const event = anHttpEvent({
        routeKey: `${method} ${DASHBOARD_PATH}${dashboardRoutes[name].path}`,
        headers: { origin: DASHBOARD_URL, 'x-dashboard': '1', 'content-type': 'application/json', ...headers },
        ...(cookies && { cookies }),
        ...(path && { pathParameters: path }),
        ...(query && { queryStringParameters: query }),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const token = { token_use: 'access', iat: 2_000_000_000, ...claims };
      if (claims) Object.assign(event.requestContext, { authorizer: { jwt: { claims: token } } });
      const { statusCode = 0, body: text = '{}', cookies: set = [] } = await handler(event, aContext());
      return { status: statusCode, body: JSON.parse(text), cookies: set };
    },
  };
}
