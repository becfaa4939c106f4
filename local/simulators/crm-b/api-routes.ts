import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../answer.ts';
import { isKnownPath } from '../routing.ts';
import { problems } from './answers.ts';
import { coqlCredits, runCoql } from './coql.ts';
import { relatedFields } from './fields.ts';
import { type AccessToken, grantOf, type RefreshToken } from './grants.ts';
import { getLead, getWritten, isClosed, isOpen, listLeads, listRelated } from './leads.ts';
import { covers, type Need } from './scopes.ts';
import type { Incoming } from './server.ts';
import type { Simulator, User } from './state.ts';
import { details, disable, enable, patch, replace } from './watch.ts';
import { createCalls, createNotes } from './writes.ts';

/** Who asks, and what. */
export type Caller = {
  user: User;
  grant: RefreshToken;
  access: AccessToken;
  query: URLSearchParams;
  /** The parts of the path that the route names. */
  names: Record<string, string>;
  text: string;
  number: number;
};

export type Handler = (simulator: Simulator, caller: Caller) => Answer;

type Route = { handle: Handler; needs: Need[]; heavy?: boolean };

const need = (area: string, operation: Need['operation'], part?: string): Need => ({
  area,
  operation,
  ...(part !== undefined && { part }),
});
const readLeads = need('modules', 'READ', 'leads');

/** Every route with the scopes it asks for (each page of the vendor's v8 documents names its own). */
export const apiRoutes: Record<string, Route> = {
  'GET /crm/v8/Leads': { handle: listLeads, needs: [readLeads] },
  'GET /crm/v8/Leads/{id}': { handle: getLead, needs: [readLeads] },
  // "Open Calls" and "Closed Calls" (Modules Metadata, related lists of Leads).
  'GET /crm/v8/Leads/{id}/Calls': { handle: listRelated('Calls', isOpen), needs: [readLeads] },
  'GET /crm/v8/Leads/{id}/Calls_History': { handle: listRelated('Calls', isClosed), needs: [readLeads] },
  'GET /crm/v8/Leads/{id}/Notes': {
    handle: listRelated('Notes'),
    needs: [readLeads, need('modules', 'READ', 'notes')],
  },
  'POST /crm/v8/Leads/{id}/Notes': {
    handle: createNotes,
    needs: [readLeads, need('modules', 'CREATE', 'notes')],
  },
  'POST /crm/v8/Calls': { handle: createCalls, needs: [need('modules', 'CREATE', 'calls')] },
  'GET /crm/v8/Calls/{id}': { handle: getWritten('Calls'), needs: [need('modules', 'READ', 'calls')] },
  'GET /crm/v8/Notes/{id}': { handle: getWritten('Notes'), needs: [need('modules', 'READ', 'notes')] },
  'POST /crm/v8/coql': { handle: runCoql, needs: [need('coql', 'READ'), readLeads], heavy: true },
  'POST /crm/v8/actions/watch': { handle: enable, needs: [need('notifications', 'CREATE')] },
  'PUT /crm/v8/actions/watch': { handle: replace, needs: [need('notifications', 'UPDATE')] },
  'PATCH /crm/v8/actions/watch': { handle: patch, needs: [need('notifications', 'UPDATE')] },
  'GET /crm/v8/actions/watch': { handle: details, needs: [need('notifications', 'READ')] },
  'DELETE /crm/v8/actions/watch': { handle: disable, needs: [need('notifications', 'DELETE')] },
  'GET /crm/v8/users': { handle: users, needs: [need('users', 'READ')] },
  'GET /crm/v8/org': { handle: organization, needs: [need('org', 'READ')] },
  'GET /crm/v8/settings/fields': { handle: fields, needs: [need('settings', 'READ', 'fields')] },
};

/**
 * An API request: the token, its scopes, the app's places and credits, then the work. The place is held until the
 * answer is over, however long that takes.
 */
export async function serveApi(simulator: Simulator, incoming: Incoming): Promise<Answer> {
  const { state } = simulator;
  const { route: name, response } = incoming;
  const route = apiRoutes[name];
  if (!route) throw unknownRoute(incoming);
  const caller = authenticate(simulator, incoming);
  if (!route.needs.every((each) => covers(caller.grant.scopes, each))) throw problems.scopeMismatch();
  const app = `${caller.user.org} ${caller.grant.clientId}`;
  const places = [`app ${app}`, ...(route.heavy ? [`heavy ${app}`] : [])];
  const { concurrency, subConcurrency, latencyMilliseconds } = state.settings;
  const bounds = [concurrency, subConcurrency];
  if (places.some((place, index) => state.inFlight.now(place) >= (bounds[index] ?? 0)))
    throw problems.tooManyRequests();
  response.once('close', state.inFlight.enter(['all', name, ...places]));
  const headers = spend(simulator, caller, route.heavy ? coqlCredits(incoming.text) : 1);
  if (latencyMilliseconds > 0) await sleep(latencyMilliseconds, undefined, { signal: state.gone.signal });
  await incoming.beforeWork();
  const answer = route.handle(simulator, caller);
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

function authenticate({ state }: Simulator, { request, url, text, names, number }: Incoming): Caller {
  const header = request.headers.authorization;
  if (!header) throw problems.noToken();
  const found = header.startsWith('Zoho-oauthtoken ') && grantOf(state, header.slice('Zoho-oauthtoken '.length));
  if (!found) throw problems.invalidToken();
  return { ...found, user: state.someUser(found.grant.userId), query: url.searchParams, names, text, number };
}

/** Rolling 24 hours; what is left is told only once half is used (API limits, v8). */
function spend({ state }: Simulator, { user, access }: Caller, credits: number): Record<string, string> {
  const now = state.clock();
  state.creditsUsed = state.creditsUsed.filter(({ at }) => at > now - 86_400_000 && at <= now);
  const used = state.creditsUsed.reduce((sum, each) => sum + (each.org === user.org ? each.credits : 0), 0);
  if (used + credits > state.settings.credits) throw problems.tooManyRequests();
  state.creditsUsed.push({ at: now, org: user.org, credits });
  const left = state.settings.credits - used - credits;
  return {
    'x-accesstoken-reset': state.time(access.expiresAt),
    ...(left <= state.settings.credits / 2 && { 'x-api-credits-remaining': String(left) }),
  };
}

/** Another method of a known path, a module there is none of, or no such path at all. */
function unknownRoute({ request, url }: Incoming) {
  const [, crm, version, module, ...rest] = url.pathname.split('/');
  if (isKnownPath(Object.keys(apiRoutes), url.pathname)) return problems.invalidMethod();
  if (
    crm === 'crm' &&
    version === 'v8' &&
    request.method === 'GET' &&
    module &&
    rest.length === 1 &&
    module !== 'settings'
  )
    return problems.invalidModule(0);
  return problems.invalidUrl();
}

function users({ state }: Simulator, { user, query }: Caller): Answer {
  const all = [...state.users.values()].filter(({ org }) => org === user.org);
  const asked = query.get('type') === 'CurrentUser' ? [user] : all;
  const described = asked.map(({ id, name, email }) => {
    const [firstName, ...lastNames] = name.split(' ');
    return {
      id,
      full_name: name,
      first_name: firstName,
      last_name: lastNames.join(' '),
      email,
      status: 'active',
      confirm: true,
      role: { name: 'CEO', id: '554000000000026' },
      profile: { name: 'Administrator', id: '554000000000031' },
      time_zone: 'Asia/Kolkata',
      offset: 19_800_000,
    };
  });
  const info = { per_page: 200, count: described.length, page: 1, more_records: false };
  return { status: 200, json: { users: described, info } };
}

/** The account itself; its time zone is the one that times are written in. */
function organization({ state }: Simulator, { user }: Caller): Answer {
  const org = { id: '554000000000001', company_name: user.org, country_code: 'IN', time_zone: 'Asia/Kolkata' };
  return {
    status: 200,
    json: { org: [{ ...org, zgid: '60000000001', primary_email: state.someUser(null, user.org).email }] },
  };
}

function fields({ state }: Simulator, { query }: Caller): Answer {
  const module = query.get('module');
  if (!module) throw problems.missingParam('module');
  if (module === 'Calls' || module === 'Notes') return { status: 200, json: { fields: relatedFields(module) } };
  if (module !== 'Leads') throw problems.invalidModule(0);
  return { status: 200, json: { fields: state.fields.all() } };
}
