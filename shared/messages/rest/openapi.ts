import type * as z from 'zod/mini';
import { failuresOf, shareFailures } from './openapi-failures.ts';
import { definitions, type Json, json, schemaOf } from './openapi-schemas.ts';
import type { Proof, RestRoute } from './route.ts';
import { restRoutes } from './routes.ts';

const securityOf: Record<Proof, string[]> = {
  apiKey: ['apiKey'],
  webhookToken: ['webhookToken', 'testToken'],
  callSignature: ['callSignature'],
  link: ['recordingLink'],
  // A token in the body, or a state in the query, is no security scheme of OpenAPI.
  state: [],
  body: [],
  none: [],
};

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_…' },
  webhookToken: { type: 'apiKey', in: 'header', name: 'X-CRMA-Webhook-Token' },
  testToken: { type: 'apiKey', in: 'header', name: 'X-SVC-Webhook-Token', description: 'Marks the leads as tests.' },
  callSignature: { type: 'apiKey', in: 'header', name: 'X-Call-Signature' },
  recordingLink: { type: 'apiKey', in: 'query', name: 'signature' },
};

/** Builds the OpenAPI 3.1 document of the routes of clients, CRMs and vendors, as docs/openapi.yaml has it. */
export function openApiDocument() {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of restRoutes as readonly RestRoute[])
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  const responses = shareFailures(Object.values(paths).flatMap((operations) => Object.values(operations)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Voice-assistant calling service',
      version: 'v1',
      description:
        'Rely on the error codes; messages are for people and may change. Ignore fields that you do not know.',
    },
    paths,
    components: { securitySchemes, headers: { RateLimit: count }, responses, schemas: definitions() },
  };
}

type Operation = { responses: Record<string, Json> } & Json;

function operationOf(route: RestRoute): Operation {
  const { summary, description, answers, request, takesFiles } = route;
  const schemes = securityOf[route.proof];
  const body = takesFiles ? filesBody : request && jsonBody(request);
  return {
    summary,
    ...(description && { description }),
    security: schemes.map((scheme) => ({ [scheme]: [] })),
    ...(parametersOf(route).length > 0 && { parameters: parametersOf(route) }),
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description: what, schema, isRedirect }]) => [
          status,
          {
            description: what,
            ...((isRedirect || route.proof === 'apiKey') && {
              headers: { ...(isRedirect && { Location: text }), ...(route.proof === 'apiKey' && rateHeaders) },
            }),
            ...(schema && { content: json(schemaOf(schema)) }),
          },
        ]),
      ),
      ...failuresOf(route),
    },
  };
}

const text = { required: true, schema: { type: 'string' } };
const count = { schema: { type: 'integer' } };
const rate = { $ref: '#/components/headers/RateLimit' };
const rateHeaders = { 'RateLimit-Limit': rate, 'RateLimit-Remaining': rate, 'RateLimit-Reset': rate };

function parametersOf({ path, query = [] }: RestRoute): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }));
  return [...inPath, ...query.map((name) => ({ name, in: 'query' }))].map((parameter) => ({
    ...parameter,
    schema: { type: 'string' },
  }));
}

const jsonBody = (schema: z.ZodMiniType) => ({ required: true, content: json(schemaOf(schema)) });

const filesBody = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          files: { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } },
        },
        required: ['files'],
      },
    },
  },
};
