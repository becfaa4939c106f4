import type { Hono } from 'hono';
import type { Answer } from '../../kit/answer.ts';
import { afterAnswer, mountRoutes, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { parsed } from '../../kit/body.ts';
import { exchange } from '../../kit/exchange.ts';
import { delay } from '../../kit/faults.ts';
import { defaultOrganization, type Grant, type GrantLookup, type Organization } from '../model.ts';
import { createAttachment, getAttachmentContent, listAttachments } from '../rules/attachments.ts';
import type { Handler } from '../rules/caller.ts';
import { covers, type Need } from '../rules/caller.ts';
import { createContact, getContact, searchContacts, searchContactsFor, searchModules } from '../rules/contacts.ts';
import {
  listAccessibleOrganizations,
  listAgents,
  listDepartments,
  listOrganizations,
  showMyInfo,
} from '../rules/organizations.ts';
import { problems } from '../rules/problems.ts';
import { listContactTickets, listTickets, searchTickets } from '../rules/ticket-lists.ts';
import { associateTags, createComment, listComments, listTags } from '../rules/ticket-parts.ts';
import { createTicket, getTicket, patchTicket, trashTickets } from '../rules/tickets.ts';
import type { HelpDeskState } from '../state.ts';
import { type Incoming, readRequest } from './requests.ts';

type Route = {
  handle: Handler;
  /** All are needed, but only one of an inner list. */
  needs: (Need | Need[])[];
  /** The request names no organization. */
  isAboutUser?: boolean;
};

const need = (area: string, operation: Need['operation']): Need => ({ area, operation });
const basics = [need('basic', 'READ'), need('organization', 'READ'), need('settings', 'READ')];
const readTickets = need('tickets', 'READ');
const updateTickets = need('tickets', 'UPDATE');
const readContacts = need('contacts', 'READ');
const search = need('search', 'READ');

/** The routes and the scopes that they need (Zoho Desk OpenAPI v1.0, `security`). The first match serves. */
const routes: Record<string, Route> = {
  'GET /api/v1/organizations': { handle: listOrganizations, needs: [basics], isAboutUser: true },
  'GET /api/v1/accessibleOrganizations': { handle: listAccessibleOrganizations, needs: [basics], isAboutUser: true },
  'GET /api/v1/myinfo': { handle: showMyInfo, needs: [basics] },
  'GET /api/v1/departments': { handle: listDepartments, needs: [basics] },
  'GET /api/v1/agents': { handle: listAgents, needs: [[...basics, need('agents', 'READ')]] },
  'GET /api/v1/search': { handle: searchModules, needs: [search, readContacts] },
  'GET /api/v1/search/contacts': { handle: searchContactsFor, needs: [search, readContacts] },
  'GET /api/v1/contacts/search': { handle: searchContacts, needs: [search, readContacts] },
  'POST /api/v1/contacts': { handle: createContact, needs: [need('contacts', 'CREATE')] },
  'GET /api/v1/contacts/{id}': { handle: getContact, needs: [readContacts] },
  'GET /api/v1/contacts/{id}/tickets': { handle: listContactTickets, needs: [readContacts, readTickets] },
  'GET /api/v1/tickets/search': { handle: searchTickets, needs: [search, readTickets] },
  'GET /api/v1/tickets': { handle: listTickets, needs: [readTickets] },
  'POST /api/v1/tickets': { handle: createTicket, needs: [need('tickets', 'CREATE')] },
  'POST /api/v1/tickets/moveToTrash': { handle: trashTickets, needs: [need('tickets', 'DELETE')] },
  'GET /api/v1/tickets/{id}': { handle: getTicket, needs: [readTickets] },
  'PATCH /api/v1/tickets/{id}': { handle: patchTicket, needs: [updateTickets] },
  'GET /api/v1/tickets/{id}/attachments': { handle: listAttachments, needs: [readTickets] },
  'POST /api/v1/tickets/{id}/attachments': { handle: createAttachment, needs: [updateTickets] },
  'GET /api/v1/tickets/{id}/attachments/{attachmentId}/content': {
    handle: getAttachmentContent,
    needs: [readTickets],
  },
  'GET /api/v1/tickets/{id}/comments': { handle: listComments, needs: [readTickets] },
  'POST /api/v1/tickets/{id}/comments': { handle: createComment, needs: [updateTickets] },
  'GET /api/v1/tickets/{id}/tags': { handle: listTags, needs: [readTickets] },
  'POST /api/v1/tickets/{id}/associateTag': { handle: associateTags, needs: [need('tickets', 'CREATE')] },
};

type Api = { state: HelpDeskState; grantOf: GrantLookup; log: (line: string) => void };

export function mountApi(app: Hono<SimulatorEnv>, api: Api): void {
  const { state, log } = api;
  mountRoutes(app, routes, async (context, matched) => {
    const incoming = await readRequest(state, context, matched.name);
    const { journal, settings, resetController } = state;
    const vendor = {
      ...problems,
      tooManyRequests: (seconds = settings.retryAfterSeconds) => problems.tooManyRequests(seconds),
    };
    const { seen, text } = incoming;
    return exchange(
      { journal, seen, text, problems: vendor, speed: settings.speed, resetSignal: resetController.signal, log },
      (applyFault) => {
        if (matched.route) return work(api, context, matched.route, incoming, applyFault);
        throw matched.isKnownPath ? problems.invalidMethod() : problems.notFound();
      },
    );
  });
}

/**
 * Checks the token, its scopes, the organization, the open requests and the credits, then handles the request. A
 * request counts as open until its answer has ended.
 */
async function work(
  { state, grantOf }: Api,
  context: SimulatorContext,
  route: Route,
  incoming: Incoming,
  applyFault: () => void,
): Promise<Answer> {
  const { seen, parts, isTooLarge } = incoming;
  const grant = await authenticate(grantOf, context);
  if (!route.needs.every((needs) => [needs].flat().some((each) => covers(grant.scopes, each))))
    throw problems.scopeMismatch();
  const organization = organizationOf(state, grant, seen.orgId, route);
  const key = `organization ${organization.id}`;
  const { inFlight } = state.journal;
  const { concurrency, retryAfterSeconds, latencyMilliseconds } = state.settings;
  if (inFlight.now(key) >= concurrency) throw problems.tooManyRequests(retryAfterSeconds);
  afterAnswer(context, inFlight.enter(['all', seen.route, key]));
  const headers = spend(state, organization);
  if (latencyMilliseconds > 0) await delay(latencyMilliseconds / 1000, state.resetController.signal);
  applyFault();
  if (isTooLarge) throw problems.tooLarge();
  const answer = route.handle(state, {
    user: grant.userId,
    person: grant.user ?? { name: 'Unknown', email: 'unknown@example.com' },
    organization,
    query: new URL(context.req.url).searchParams,
    names: context.req.param() as Record<string, string>,
    json: () => jsonObject(context, incoming.body),
    parts,
    number: seen.number,
  });
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

async function authenticate(grantOf: GrantLookup, { req }: SimulatorContext): Promise<Grant> {
  const header = req.header('authorization');
  if (!header) throw problems.noToken();
  const token = /^Zoho-oauthtoken (\S+)$/.exec(header)?.[1];
  const grant = token === undefined ? undefined : await grantOf(token);
  if (!grant) throw problems.invalidToken();
  return grant;
}

/** Finds the organization that a request names; the user's first one if the request is about the user. */
function organizationOf(
  state: HelpDeskState,
  grant: Grant,
  orgId: string | null,
  { isAboutUser }: Route,
): Organization {
  const own = state.organizationsOf(grant.userId);
  if (isAboutUser) return own[0] ?? defaultOrganization;
  if (!orgId) throw problems.noOrganization();
  const found = own.find(({ id, isAccessible }) => id === orgId && isAccessible);
  if (!found) throw problems.organizationMismatch();
  return found;
}

/** Spends one credit of the organization. */
function spend(state: HelpDeskState, { id }: Organization): Record<string, string> {
  const spent = state.credits.spend(id, 1, state.settings.credits, state.clock());
  if ('waitMs' in spent) throw problems.thresholdExceeded(Math.ceil(spent.waitMs / 1000));
  return { 'x-rate-limit-request-weight-v3': '1', 'x-rate-limit-remaining-v3': String(spent.left) };
}

function jsonObject({ req }: SimulatorContext, body: string): Record<string, unknown> {
  if (body === '') throw problems.emptyPayload();
  if (!req.header('content-type')?.startsWith('application/json')) throw problems.mediaType();
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problems.badJson();
  return value as Record<string, unknown>;
}
