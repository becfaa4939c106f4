import type * as z from 'zod/mini';
import { contentOfFailure, gatewayAnswer, gatewayStatuses } from '../rest/openapi-failures.ts';
import {
  filesBody,
  gatewayError,
  type Json,
  json,
  jsonBody,
  parametersInPath,
  schemasNamed,
} from '../rest/openapi-schemas.ts';
import { dashboardAnswers } from './answers.ts';
import { assistant } from './assistants.ts';
import { callRow } from './calls.ts';
import { connection } from './connections.ts';
import { type DashboardErrorCode, statusOfDashboardError } from './errors.ts';
import { leadEventRow } from './leads.ts';
import { organization } from './organization.ts';
import { me, member } from './people.ts';
import { DASHBOARD_PATH, type DashboardRoute } from './route.ts';
import { type DashboardRouteName, dashboardRoutes } from './routes.ts';

const securitySchemes = {
  ownPages: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Dashboard',
    description: 'The value 1, beside the Origin of the dashboard. No other site can send both.',
  },
  accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of a session; it lasts ten minutes.' },
};

/** Views in the answers of several routes. */
const { schemaOf, definitions } = schemasNamed({
  Assistant: assistant,
  CallRow: callRow,
  Connection: connection,
  LeadEvent: leadEventRow,
  Me: me,
  Member: member,
  Organization: organization,
});

/** Builds the OpenAPI 3.1 document of the routes of the dashboard for docs/openapi-dashboard.yaml. */
export function dashboardOpenApiDocument() {
  const paths: Record<string, Record<string, Json>> = {};
  const responses: Record<string, Json> = {};
  for (const [name, route] of Object.entries(dashboardRoutes) as [DashboardRouteName, DashboardRoute][]) {
    const path = DASHBOARD_PATH + route.path;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route, responses) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Dashboard of the voice-assistant calling service',
      version: 'internal',
      description:
        'For the pages of the dashboard. These routes may change with any release: clients use /openapi.json.',
    },
    paths,
    components: {
      securitySchemes,
      responses,
      schemas: { ...definitions(), Fields: fields, GatewayError: gatewayError },
    },
  };
}

/** Describes a route. @param shared the error answers by name, to which this function adds those of the route. */
function operationOf(name: DashboardRouteName, route: DashboardRoute, shared: Record<string, Json>): Json {
  const { summary, success } = dashboardAnswers[name];
  const parameters = [...parametersInPath(route.path), ...inQuery(route.query)];
  if (route.idempotencyKey) parameters.push(idempotencyKey(route.idempotencyKey));
  const body = route.takesFiles ? filesBody : route.request && jsonBody(schemaOf(route.request));
  const content = route.answer && { content: json(schemaOf(route.answer)) };
  return {
    operationId: name,
    summary,
    description: route.role === 'none' ? 'Takes no access token.' : `Requires the role ${route.role}.`,
    security: [{ [route.role === 'none' ? 'ownPages' : 'accessToken']: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(
        [success].flat().map((status) => [status, { description: successDescriptions[status], ...content }]),
      ),
      ...failuresOf(name, route, shared),
    },
  };
}

const successDescriptions = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: the rest follows.',
  204: 'Done, without a body.',
};

function inQuery(schema: z.ZodMiniType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema: each,
  }));
}

const idempotencyKey = (kind: 'required' | 'optional') => ({
  name: 'Idempotency-Key',
  in: 'header',
  ...(kind === 'required' && { required: true }),
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
});

const errorsOfAll = ['internal_error', 'service_unavailable'] as const;
const errorsOfMembers = ['session_ended', 'no_membership', 'not_permitted'] as const;
const errorsOfBodies = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;

type Code = DashboardErrorCode | 'internal_error';

/** Describes the error answers of a route by status, as references to `shared`. */
function failuresOf(name: DashboardRouteName, route: DashboardRoute, shared: Record<string, Json>): Json {
  const isOpen = route.role === 'none';
  const codes: Code[] = [
    ...(isOpen ? (['foreign_origin'] as const) : errorsOfMembers),
    ...(route.request ? errorsOfBodies : []),
    ...(route.query || route.idempotencyKey ? (['invalid_request'] as const) : []),
    ...(dashboardAnswers[name].errors ?? []),
    ...errorsOfAll,
  ];
  // The gateway refuses requests without a valid token.
  const statusesOfGateway = [...gatewayStatuses, ...(isOpen ? [] : [401])];
  const statuses = new Set([...codes.map(statusOf), ...statusesOfGateway]);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const here = [...new Set(codes.filter((code) => statusOf(code) === status))].sort();
      const shapes = [
        ...(here.length > 0 ? [errorSchema(here)] : []),
        ...(statusesOfGateway.includes(status) ? [gatewayAnswer] : []),
      ];
      const reference = here.map(inPascalCase).join('Or') || `Gateway${status}`;
      shared[reference] = {
        description: here.join(', ') || 'Answered by the gateway.',
        content: contentOfFailure(status, shapes),
      };
      return [String(status), { $ref: `#/components/responses/${reference}` }];
    }),
  );
}

const inPascalCase = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const statusOf = (code: Code): number => (code === 'internal_error' ? 500 : statusOfDashboardError[code]);

const errorSchema = (codes: readonly Code[]) => ({
  type: 'object',
  properties: {
    error: { type: 'string', enum: codes },
    message: { type: 'string' },
    fields: { $ref: '#/components/schemas/Fields' },
  },
  required: ['error', 'message'],
});

const fields = {
  type: 'array',
  description: 'The invalid fields, with reasons.',
  items: {
    type: 'object',
    properties: { path: { type: 'string' }, message: { type: 'string' } },
    required: ['path', 'message'],
  },
};
