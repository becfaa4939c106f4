import * as z from 'zod/mini';
import { analyzedCall, call, outboundBody, queuedCall } from './calls.ts';
import { knowledgeEntries } from './knowledge.ts';
import type { RestRoute } from './route.ts';

const received = z.object({ received: z.literal(true) });
const object = z.record(z.string(), z.unknown());

const oauthCallback = {
  proof: 'state',
  query: ['state', 'code', 'error', 'accounts-server'],
  answers: { 302: { description: 'To the dashboard, with the result of the consent.', isRedirect: true } },
  refusals: { 400: 'invalid_state', 500: 'internal error' },
} as const;

const registration = {
  proof: 'none',
  answers: { 200: { description: 'The address answers.' } },
  refusals: { 500: 'internal error' },
} as const;

const crmARoute = '/api/webhooks/crm-a/{connectionId}';

/**
 * The routes of clients, CRMs and vendors. docs/openapi.yaml derives from them, and a test compares them with the
 * functions' list.
 */
export const restRoutes = [
  {
    method: 'POST',
    path: '/v1/calls/outbound',
    summary: 'Place a call',
    description:
      'Requires the permission calls:write. The credit for the longest call is held. With an idempotency_key, a repeat ' +
      'returns the original call.',
    proof: 'apiKey',
    request: outboundBody,
    answers: { 202: { description: 'The call is queued, or was placed by an earlier request.', schema: queuedCall } },
    errors: [
      'invalid_phone_number',
      'assistant_id_required',
      'invalid_request',
      'invalid_callback_url',
      'insufficient_permissions',
      'assistant_wrong_org',
      'do_not_call',
      'destination_not_allowed',
      'org_suspended',
      'insufficient_credits',
      'assistant_not_found',
      'call_erased',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  {
    method: 'GET',
    path: '/v1/calls/{id}',
    summary: 'Read a call',
    description: 'Requires the permission calls:read or calls:write.',
    proof: 'apiKey',
    answers: { 200: { description: 'The call.', schema: call } },
    errors: ['insufficient_permissions', 'call_not_found'],
  },
  {
    method: 'POST',
    path: '/v1/calls/{id}/analyze',
    summary: 'Analyze a call again',
    description: 'Requires a valid key and no permission. The body is not read.',
    proof: 'apiKey',
    answers: { 200: { description: 'The analysis, which is stored on the call.', schema: analyzedCall } },
    errors: ['org_suspended', 'call_not_found', 'transcript_not_available', 'analysis_failed'],
  },
  {
    method: 'POST',
    path: '/v1/assistants/{id}/knowledge-base',
    summary: "Append documents to an assistant's knowledge base",
    description: 'Requires a valid key and no permission. Either all files are added or none.',
    proof: 'apiKey',
    takesFiles: true,
    answers: { 200: { description: 'All entries of the knowledge base, oldest first.', schema: knowledgeEntries } },
    errors: [
      'no_files_uploaded',
      'unsupported_file_type',
      'unreadable_file',
      'invalid_request',
      'org_suspended',
      'assistant_not_found',
      'knowledge_base_full',
      'payload_too_large',
    ],
  },
  {
    method: 'GET',
    path: '/api/recordings/{callId}',
    summary: 'Open a recording',
    description: 'The link that notes at CRM-B contain. It is valid for 30 days.',
    proof: 'link',
    query: ['expires', 'key', 'signature'],
    answers: { 302: { description: 'To the recording.', isRedirect: true } },
    errors: ['invalid_link', 'recording_not_found', 'link_expired'],
  },
  {
    method: 'POST',
    path: '/api/webhooks/voice/vapi',
    summary: 'Receive a message of the voice platform',
    proof: 'callSignature',
    request: object,
    answers: { 200: { description: 'Stored, or the message has no data to store.', schema: received } },
    refusals: { 400: 'invalid body', 401: 'unauthorized', 500: 'internal error' },
  },
  {
    method: 'POST',
    path: crmARoute,
    summary: 'Receive leads of CRM-A',
    description: 'A lead, or a list with at least one. An entry that is not an object counts as a lead without an id.',
    proof: 'webhookToken',
    request: z.union([object, z.array(z.unknown())]),
    answers: { 200: { description: 'Queued. Activity has the outcome.', schema: received } },
    refusals: {
      400: 'invalid body',
      401: 'unauthorized',
      404: 'unknown connection',
      413: 'payload too large',
      500: 'internal error',
    },
  },
  { method: 'HEAD', path: crmARoute, summary: 'Answer the check at registration', ...registration },
  { method: 'GET', path: crmARoute, summary: 'Answer the check at registration', ...registration },
  {
    method: 'POST',
    path: '/api/webhooks/crm-b/{connectionId}',
    summary: 'Receive a notification of CRM-B',
    proof: 'body',
    request: z.object({
      token: z.string().check(z.describe('The token of the watch channel.')),
      module: z.optional(z.unknown()),
      operation: z.optional(z.unknown()),
      ids: z.optional(
        z.nullable(z.array(z.unknown()).check(z.describe('Texts or numbers. Other entries are left out.'))),
      ),
    }),
    answers: { 200: { description: 'Every id is queued.', schema: received } },
    refusals: {
      400: 'invalid body',
      401: 'unauthorized',
      404: 'unknown connection',
      413: 'payload too large',
      500: 'internal error',
    },
  },
  {
    method: 'GET',
    path: '/api/oauth/crm-b/callback',
    summary: 'Complete a consent at CRM-B',
    ...oauthCallback,
  },
  {
    method: 'GET',
    path: '/api/oauth/help-desk/callback',
    summary: 'Complete a consent at the help desk',
    ...oauthCallback,
  },
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Read this document',
    proof: 'none',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: object } },
    errors: [],
  },
  {
    method: 'GET',
    path: '/api/openapi-dashboard.json',
    summary: 'Read the description of the routes of the dashboard',
    proof: 'none',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: object } },
    errors: [],
  },
] as const satisfies readonly RestRoute[];
