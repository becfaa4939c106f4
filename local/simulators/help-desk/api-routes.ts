import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../answer.ts';
import { parsed } from '../body.ts';
import { isKnownPath } from '../routing.ts';
import { problems } from './answers.ts';
import { createAttachment, getAttachmentContent, listAttachments, type Part } from './attachments.ts';
import { createContact, getContact, searchContacts, searchContactsFor, searchModules } from './contacts.ts';
import { listAccessibleOrganizations, listAgents, listDepartments, listOrganizations } from './organizations.ts';
import { covers, type Need } from './scopes.ts';
import type { Incoming } from './server.ts';
import { defaultOrganization, type Grant, type HelpDeskState, type Organization, type Simulator } from './state.ts';
import { listContactTickets, listTickets, searchTickets } from './ticket-lists.ts';
import { associateTags, createComment, listComments, listTags } from './ticket-parts.ts';
import { createTicket, getTicket, patchTicket } from './tickets.ts';

/** Who asks, and what. */
export type Caller = {
  /** The user's id at the accounts server. */
  user: string;
  organization: Organization;
  query: URLSearchParams;
  /** The parts of the path that the route names. */
  names: Record<string, string>;
  /** The body as a JSON object. @throws the vendor's complaint where it is none. */
  json: () => Record<string, unknown>;
  /** Of a multipart form. */
  parts: Part[] | undefined;
  number: number;
};

export type Handler = (simulator: Simulator, caller: Caller) => Answer;

type Route = {
  handle: Handler;
  /** Each of them is needed; of an inner list any one. */
  needs: (Need | Need[])[];
  /** No organization is named. */
  isAboutUser?: boolean;
};

const need = (area: string, operation: Need['operation']): Need => ({ area, operation });
const basics = [need('basic', 'READ'), need('organization', 'READ'), need('settings', 'READ')];
const readTickets = need('tickets', 'READ');
const updateTickets = need('tickets', 'UPDATE');
const readContacts = need('contacts', 'READ');
const search = need('search', 'READ');

/** Every route with the scopes it asks for (Zoho Desk OpenAPI v1.0, `security` of each); of two that fit the first. */
export const apiRoutes: Record<string, Route> = {
  'GET /api/v1/organizations': { handle: listOrganizations, needs: [basics], isAboutUser: true },
  'GET /api/v1/accessibleOrganizations': { handle: listAccessibleOrganizations, needs: [basics], isAboutUser: true },
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

/**
 * An API request: the token, its scopes, the organization, its places and credits, then the work. The place is held
 * until the answer is over, however long that takes.
 */
export async function serveApi(simulator: Simulator, incoming: Incoming): Promise<Answer> {
  const { state } = simulator;
  const { route: name, response, url, names, number, parts } = incoming;
  const route = apiRoutes[name];
  if (!route) throw isKnownPath(Object.keys(apiRoutes), url.pathname) ? problems.invalidMethod() : problems.notFound();
  const grant = await authenticate(simulator, incoming);
  if (!route.needs.every((needs) => [needs].flat().some((each) => covers(grant.scopes, each))))
    throw problems.scopeMismatch();
  const organization = organizationOf(state, grant, incoming, route);
  const place = `organization ${organization.id}`;
  const { concurrency, retryAfterSeconds, latencyMilliseconds } = state.settings;
  if (state.inFlight.now(place) >= concurrency) throw problems.tooManyRequests(retryAfterSeconds);
  response.once('close', state.inFlight.enter(['all', name, place]));
  const headers = spend(state, organization);
  if (latencyMilliseconds > 0) await sleep(latencyMilliseconds, undefined, { signal: state.gone.signal });
  await incoming.beforeWork();
  if (incoming.isTooLarge) throw problems.tooLarge();
  const answer = route.handle(simulator, {
    user: grant.userId,
    organization,
    query: url.searchParams,
    names,
    json: () => jsonObject(incoming),
    parts,
    number,
  });
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

async function authenticate({ grantOf }: Simulator, { request }: Incoming): Promise<Grant> {
  const header = request.headers.authorization;
  if (!header) throw problems.noToken();
  const token = /^Zoho-oauthtoken (\S+)$/.exec(header)?.[1];
  const grant = token === undefined ? undefined : await grantOf(token);
  if (!grant) throw problems.invalidToken();
  return grant;
}

/** The organization that the header names, or the query; of requests about the user the first. */
function organizationOf(state: HelpDeskState, grant: Grant, { orgId }: Incoming, { isAboutUser }: Route): Organization {
  const own = state.organizationsOf(grant.userId);
  if (isAboutUser) return own[0] ?? defaultOrganization;
  if (!orgId) throw problems.noOrganization();
  const found = own.find(({ id, isAccessible }) => id === orgId && isAccessible);
  if (!found) throw problems.organizationMismatch();
  return found;
}

/** One credit a request, in rolling 24 hours. */
function spend(state: HelpDeskState, { id: orgId }: Organization): Record<string, string> {
  const now = state.clock();
  const day = 86_400_000;
  state.creditsUsed = state.creditsUsed.filter(({ at }) => at > now - day && at <= now);
  const used = state.creditsUsed.filter((each) => each.orgId === orgId);
  const left = state.settings.credits - used.length - 1;
  if (left < 0) throw problems.thresholdExceeded(Math.ceil(((used[0]?.at ?? now) + day - now) / 1000));
  state.creditsUsed.push({ at: now, orgId });
  return { 'x-rate-limit-request-weight-v3': '1', 'x-rate-limit-remaining-v3': String(left) };
}

function jsonObject({ request, text }: Incoming): Record<string, unknown> {
  if (text === '') throw problems.emptyPayload();
  if (!request.headers['content-type']?.startsWith('application/json')) throw problems.mediaType();
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problems.badJson();
  return value as Record<string, unknown>;
}
