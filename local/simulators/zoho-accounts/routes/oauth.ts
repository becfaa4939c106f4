import type { Hono } from 'hono';
import type { Answer } from '../../kit/answer.ts';
import { mountRoutes, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { readForm, textFields } from '../../kit/body.ts';
import { exchange } from '../../kit/exchange.ts';
import type { AccountsFault } from '../faults.ts';
import { consentPage } from '../rules/consent-page.ts';
import { consent, deny, readConsentRequest } from '../rules/consents.ts';
import { accessDenied, oauthError, problems } from '../rules/problems.ts';
import { issueTokens, revokeToken } from '../rules/tokens.ts';
import type { AccountsState } from '../state.ts';

/** @param params of the query and the form together. A JSON body is not read. */
type Handler = (state: AccountsState, params: Record<string, string>) => Answer;

/** Zoho Accounts, "OAuth 2.0 for server-based applications". */
const routes: Record<string, Handler> = {
  'GET /oauth/v2/auth': authorize,
  'POST /oauth/v2/auth': decide,
  'POST /oauth/v2/token': issueTokens,
  'POST /oauth/v2/token/revoke': revokeToken,
};

export function mountOauth(app: Hono<SimulatorEnv>, state: AccountsState, log: (line: string) => void): void {
  mountRoutes(app, routes, async (context, matched) => {
    const { seen, text, params } = await read(state, context, matched.name);
    const { journal, settings, resetController } = state;
    const applyVendorFault = (fault: AccountsFault | undefined) => throwVendorFault(state, fault);
    const { signal: resetSignal } = resetController;
    return exchange(
      { journal, seen, text, problems, applyVendorFault, speed: settings.speed, resetSignal, log },
      (applyFault) => {
        if (!matched.route)
          throw matched.isKnownPath ? oauthError(state, 'invalid_request', 400) : problems.unknownPath();
        applyFault();
        return matched.route(state, params);
      },
    );
  });
}

async function read(state: AccountsState, { req }: SimulatorContext, route: string) {
  const body = await req.arrayBuffer();
  const form = textFields(await readForm(req.header('content-type'), body));
  const text = Buffer.from(body).toString('utf8');
  const query = req.query();
  const seen = state.journal.record((common) => ({
    ...common,
    at: new Date(state.clock()).toISOString(),
    side: 'accounts',
    method: req.method,
    path: req.path,
    route,
    query,
    body: Object.keys(form).length > 0 ? form : text,
    token: null,
  }));
  return { seen, text: `${req.url} ${text}`, params: { ...query, ...form } };
}

function authorize(state: AccountsState, params: Record<string, string>): Answer {
  const request = readConsentRequest(state, params);
  const { consent: mode, consentUser } = state.settings;
  if (mode === 'deny') return deny(request);
  if (mode === 'grant') return consent(state, request, state.someUser(consentUser));
  return { status: 200, html: consentPage(state, params, request) };
}

/** Takes the decision of the consent page. The path is the simulator's own. */
function decide(state: AccountsState, params: Record<string, string>): Answer {
  const request = readConsentRequest(state, params);
  return params.decision === 'accept' ? consent(state, request, state.someUser(params.user)) : deny(request);
}

function throwVendorFault(state: AccountsState, fault: AccountsFault | undefined): void {
  if (fault?.kind === 'oauth-error') throw oauthError(state, fault.error ?? 'invalid_code', fault.status);
  if (fault?.kind === 'access-denied') throw accessDenied(state, fault.status);
}
