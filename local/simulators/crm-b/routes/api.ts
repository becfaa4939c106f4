import type { Hono } from 'hono';
import { type Answer, Problem } from '../../kit/answer.ts';
import { afterAnswer, mountRoutes, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { parsed } from '../../kit/body.ts';
import { exchange } from '../../kit/exchange.ts';
import { delay } from '../../kit/faults.ts';
import { grantOf } from '../../zoho-accounts/rules/grants.ts';
import { accessDenied, oauthError } from '../../zoho-accounts/rules/problems.ts';
import type { Fault } from '../faults.ts';
import type { SeenRequest } from '../model.ts';
import type { Caller, Handler } from '../rules/caller.ts';
import { covers, type Need } from '../rules/caller.ts';
import { coqlCredits, runCoql } from '../rules/coql.ts';
import { getOrganization, listFields, listUsers } from '../rules/metadata.ts';
import { itemsAnswer, problems, vendorError } from '../rules/problems.ts';
import { getLead, getWritten, isClosed, isOpen, listLeads, listRelated } from '../rules/reads.ts';
import { details, disable, enable, patch, replace } from '../rules/watch.ts';
import { createCalls, createNotes, deleteWritten } from '../rules/writes.ts';
import type { CrmBState } from '../state.ts';

type Route = { handle: Handler; needs: Need[]; isCoql?: boolean };

const need = (area: string, operation: Need['operation'], part?: string): Need => ({
  area,
  operation,
  ...(part !== undefined && { part }),
});
const readLeads = need('modules', 'READ', 'leads');
const readNotes = need('modules', 'READ', 'notes');

/** The routes with the scopes that they need, as each page of the vendor's v8 documents names them. */
const routes: Record<string, Route> = {
  'GET /crm/v8/Leads': { handle: listLeads, needs: [readLeads] },
  'GET /crm/v8/Leads/{id}': { handle: getLead, needs: [readLeads] },
  // "Open Calls" and "Closed Calls" (Zoho CRM v8, "Modules Metadata", related lists of Leads).
  'GET /crm/v8/Leads/{id}/Calls': { handle: listRelated('Calls', isOpen), needs: [readLeads] },
  'GET /crm/v8/Leads/{id}/Calls_History': { handle: listRelated('Calls', isClosed), needs: [readLeads] },
  'GET /crm/v8/Leads/{id}/Notes': { handle: listRelated('Notes'), needs: [readLeads, readNotes] },
  'POST /crm/v8/Leads/{id}/Notes': { handle: createNotes, needs: [readLeads, need('modules', 'CREATE', 'notes')] },
  'POST /crm/v8/Calls': { handle: createCalls, needs: [need('modules', 'CREATE', 'calls')] },
  'GET /crm/v8/Calls/{id}': { handle: getWritten('Calls'), needs: [need('modules', 'READ', 'calls')] },
  'GET /crm/v8/Notes/{id}': { handle: getWritten('Notes'), needs: [readNotes] },
  'DELETE /crm/v8/Calls/{id}': { handle: deleteWritten('Calls'), needs: [need('modules', 'DELETE', 'calls')] },
  'DELETE /crm/v8/Notes/{id}': {
    handle: deleteWritten('Notes'),
    needs: [readLeads, need('modules', 'DELETE', 'notes')],
  },
  'POST /crm/v8/coql': { handle: runCoql, needs: [need('coql', 'READ'), readLeads], isCoql: true },
  'POST /crm/v8/actions/watch': { handle: enable, needs: [need('notifications', 'CREATE')] },
  'PUT /crm/v8/actions/watch': { handle: replace, needs: [need('notifications', 'UPDATE')] },
  'PATCH /crm/v8/actions/watch': { handle: patch, needs: [need('notifications', 'UPDATE')] },
  'GET /crm/v8/actions/watch': { handle: details, needs: [need('notifications', 'READ')] },
  'DELETE /crm/v8/actions/watch': { handle: disable, needs: [need('notifications', 'DELETE')] },
  'GET /crm/v8/users': { handle: listUsers, needs: [need('users', 'READ')] },
  'GET /crm/v8/org': { handle: getOrganization, needs: [need('org', 'READ')] },
  'GET /crm/v8/settings/fields': { handle: listFields, needs: [need('settings', 'READ', 'fields')] },
};

const MAX_BODY_BYTES = 5 * 1024 * 1024;

export function mountApi(app: Hono<SimulatorEnv>, state: CrmBState): void {
  mountRoutes(app, routes, async (context, matched) => {
    const body = await context.req.arrayBuffer();
    if (body.byteLength > MAX_BODY_BYTES) throw problems.invalidBody();
    const text = Buffer.from(body).toString('utf8');
    const seen = record(state, context, matched.name, text);
    const { journal, log, settings, resetController } = state;
    const applyVendorFault = (fault: Fault | undefined) => throwVendorFault(state, fault);
    const { signal: resetSignal } = resetController;
    const searched = `${context.req.url} ${text}`;
    return exchange(
      { journal, seen, text: searched, problems, applyVendorFault, speed: settings.speed, resetSignal, log },
      (applyFault) => {
        if (matched.route) return work(state, context, matched.route, { seen, text, applyFault });
        throw unknownRoute(context, matched.isKnownPath);
      },
    );
  });
}

const record = (state: CrmBState, { req }: SimulatorContext, route: string, text: string): SeenRequest =>
  state.journal.record((common) => ({
    ...common,
    at: new Date(state.clock()).toISOString(),
    side: 'api',
    method: req.method,
    path: req.path,
    route,
    query: req.query(),
    body: parsed(text) ?? text,
    token: req.header('authorization')?.replace(/^\S+ /, '') ?? null,
  }));

/**
 * Checks the token, its scopes, the open requests and the credits, then handles the request. A request counts as open
 * until its answer has ended.
 */
async function work(
  state: CrmBState,
  context: SimulatorContext,
  route: Route,
  { seen, text, applyFault }: { seen: SeenRequest; text: string; applyFault: () => void },
): Promise<Answer> {
  const caller = { ...authenticate(state, context), text, number: seen.number };
  if (!route.needs.every((each) => covers(caller.grant.scopes, each))) throw problems.scopeMismatch();
  const app = `${caller.user.org} ${caller.grant.clientId}`;
  const { inFlight } = state.journal;
  const { concurrency, subConcurrency, latencyMilliseconds } = state.settings;
  if (inFlight.now(`app ${app}`) >= concurrency) throw problems.tooManyRequests();
  if (route.isCoql && inFlight.now(`COQL ${app}`) >= subConcurrency) throw problems.tooManyRequests();
  const leave = inFlight.enter(['all', seen.route, `app ${app}`, ...(route.isCoql ? [`COQL ${app}`] : [])]);
  afterAnswer(context, leave);
  const headers = spend(state, caller, route.isCoql ? coqlCredits(text) : 1);
  if (latencyMilliseconds > 0) await delay(latencyMilliseconds / 1000, state.resetController.signal);
  applyFault();
  const answer = route.handle(state, caller);
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

function authenticate(state: CrmBState, { req }: SimulatorContext) {
  const header = req.header('authorization');
  if (!header) throw problems.noToken();
  const token = /^Zoho-oauthtoken (\S+)$/.exec(header)?.[1];
  const found = token === undefined ? undefined : grantOf(state.accounts, token);
  if (!found) throw problems.invalidToken();
  const user = state.someUser(found.grant.userId);
  return { ...found, user, query: new URL(req.url).searchParams, names: req.param() as Record<string, string> };
}

/** Spends credits. The answer shows the remaining ones only after half is used (Zoho CRM v8, "API limits"). */
function spend(state: CrmBState, { user, access }: Caller, credits: number): Record<string, string> {
  const limit = state.settings.credits;
  const spent = state.credits.spend(user.org, credits, limit, state.clock());
  if ('waitMs' in spent) throw problems.tooManyRequests();
  return {
    'x-accesstoken-reset': state.time(access.expiresAt),
    ...(spent.left <= limit / 2 && { 'x-api-credits-remaining': String(spent.left) }),
  };
}

/** The vendor distinguishes a wrong method, an unknown module and an unknown path. */
function unknownRoute({ req }: SimulatorContext, isKnownPath: boolean): Problem {
  if (isKnownPath) return problems.invalidMethod();
  const [, module] = /^\/crm\/v8\/([^/]+)\/[^/]+$/.exec(req.path) ?? [];
  return req.method === 'GET' && module && module !== 'settings' ? problems.invalidModule(0) : problems.invalidUrl();
}

function throwVendorFault({ settings, accounts }: CrmBState, fault: Fault | undefined): void {
  if (fault?.kind === 'oauth-error') throw oauthError(accounts, fault.error ?? 'invalid_code', fault.status);
  if (fault?.kind === 'access-denied') throw accessDenied(accounts, fault.status);
  if (fault?.kind !== 'item-error') return;
  const wrapper = fault.route.endsWith('/watch') ? 'watch' : 'data';
  const result = vendorError(fault.error ?? 'INVALID_DATA', 'invalid data');
  throw new Problem(itemsAnswer(wrapper, [result], 201, fault.status ?? settings.itemErrorStatus));
}
