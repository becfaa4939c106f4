import { analyzedCall, call, outboundBody, queuedCall } from './calls.ts';
import { knowledgeEntries } from './knowledge.ts';
import { failuresOf, shareFailures } from './openapi-failures.ts';
import {
  filesBody,
  gatewayError,
  type Json,
  json,
  jsonBody,
  parametersInPath,
  schemasNamed,
} from './openapi-schemas.ts';
import type { Proof, RestRoute } from './route.ts';
import { restRoutes } from './routes.ts';

const securityOf: Record<Proof, string[]> = {
  apiKey: ['apiKey'],
  webhookToken: ['webhookToken', 'testToken'],
  callSignature: ['callSignature'],
  link: ['recordingLink'],
  // OpenAPI has no security scheme for a token in the body or a state in the query.
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

/** Schemas that a client's generator should name. */
const { schemaOf, definitions } = schemasNamed({
  OutboundCall: outboundBody,
  QueuedCall: queuedCall,
  Call: call,
  AnalyzedCall: analyzedCall,
  KnowledgeEntries: knowledgeEntries,
});

/** Builds the OpenAPI 3.1 document of the routes of clients, CRMs and vendors for docs/openapi.yaml. */
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
    components: {
      securitySchemes,
      headers: { RateLimit: count },
      responses,
      schemas: { ...definitions(), GatewayError: gatewayError },
    },
  };
}

type Operation = { responses: Record<string, Json> } & Json;

function operationOf(route: RestRoute): Operation {
  const { summary, description, answers, request, takesFiles } = route;
  const schemes = securityOf[route.proof];
  const body = takesFiles ? filesBody : request && jsonBody(schemaOf(request));
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
  return [...parametersInPath(path), ...query.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))];
}
