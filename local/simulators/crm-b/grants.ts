import { createHash, randomBytes } from 'node:crypto';
import type { Client, CrmBState } from './state.ts';

export type Code = {
  code: string;
  clientId: string;
  userId: string;
  redirectUri: string;
  scopes: string[];
  /** Offline, and the first consent or a repeated one that was asked for. */
  withRefresh: boolean;
  challenge?: { value: string; method: string };
  issuedAt: number;
  used: boolean;
};

export type AccessToken = { token: string; issuedAt: number; expiresAt: number; revoked: boolean };

/** A grant: it lives on without a refresh token where only online access was asked for. */
export type RefreshToken = {
  token: string | null;
  clientId: string;
  userId: string;
  scopes: string[];
  issuedAt: number;
  revoked: boolean;
  access: AccessToken[];
};

const tenMinutes = 600_000;
/** Also where the clock was set back: what it has not come to yet does not count. */
const isRecent = ({ clock }: CrmBState, { issuedAt }: { issuedAt: number }) =>
  issuedAt > clock() - tenMinutes && issuedAt <= clock();
const secret = () => `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`;

/** Too many codes for one client: the vendor documents `access_denied` (Zoho CRM v8, token validity). */
export function tooManyCodes(state: CrmBState, clientId: string): boolean {
  const recent = state.codes.filter((code) => code.clientId === clientId && isRecent(state, code));
  return recent.length >= state.settings.codesPerTenMinutes;
}

export function issueCode(
  state: CrmBState,
  grant: Omit<Code, 'code' | 'issuedAt' | 'used' | 'withRefresh'> & { offline: boolean; promptsConsent: boolean },
): Code {
  const { offline, promptsConsent, ...rest } = grant;
  const consent = `${grant.clientId} ${grant.userId}`;
  const code: Code = {
    ...rest,
    withRefresh: offline && (promptsConsent || !state.consents.has(consent)),
    code: secret(),
    issuedAt: state.clock(),
    used: false,
  };
  if (offline) state.consents.add(consent);
  state.codes.push(code);
  return code;
}

export function challengeMet({ challenge }: Code, verifier: string | undefined): boolean {
  if (!challenge) return true;
  const made =
    challenge.method === 'S256'
      ? createHash('sha256')
          .update(verifier ?? '')
          .digest('base64url')
      : verifier;
  return made === challenge.value;
}

/** A grant made of a code; `throttled` where the user and client got too many of late. */
export function issueGrant(
  state: CrmBState,
  { clientId, userId, scopes, withRefresh }: Pick<Code, 'clientId' | 'userId' | 'scopes' | 'withRefresh'>,
): RefreshToken | 'throttled' {
  const { clock, settings } = state;
  const mine = state.refreshTokens.filter(
    (grant) => grant.token !== null && grant.clientId === clientId && grant.userId === userId,
  );
  if (withRefresh) {
    const recent = mine.filter((each) => isRecent(state, each));
    if (recent.length >= settings.refreshTokensPerTenMinutes) return 'throttled';
    const alive = mine.filter(({ revoked }) => !revoked);
    // One too many deletes the first, with the access tokens made from it.
    if (alive.length >= settings.refreshTokens && alive[0]) revoke(alive[0]);
  }
  const grant: RefreshToken = {
    token: withRefresh ? secret() : null,
    clientId,
    userId,
    scopes,
    issuedAt: clock(),
    revoked: false,
    access: [],
  };
  state.refreshTokens.push(grant);
  return grant;
}

/** One more access token; `throttled` where the grant got too many of late. */
export function issueAccess(state: CrmBState, grant: RefreshToken): AccessToken | 'throttled' {
  const { settings } = state;
  const now = state.clock();
  const recent = grant.access.filter((each) => isRecent(state, each));
  if (recent.length >= settings.accessTokensPerTenMinutes) return 'throttled';
  const active = grant.access.filter(({ revoked, expiresAt }) => !revoked && expiresAt > now);
  if (active.length >= settings.activeAccessTokens && active[0]) active[0].revoked = true;
  const access = {
    token: secret(),
    issuedAt: now,
    expiresAt: now + 1000 * settings.accessTokenSeconds,
    revoked: false,
  };
  grant.access.push(access);
  return access;
}

export function revoke(grant: RefreshToken): void {
  grant.revoked = true;
  for (const access of grant.access) access.revoked = true;
}

/** What a valid access token stands for. */
export function grantOf(state: CrmBState, token: string): { grant: RefreshToken; access: AccessToken } | undefined {
  for (const grant of state.refreshTokens) {
    const access = grant.access.find((each) => each.token === token);
    if (access) return access.revoked || access.expiresAt <= state.clock() ? undefined : { grant, access };
  }
  return undefined;
}

export function clientAt(state: CrmBState, id: string | undefined): Client | undefined {
  return id === undefined ? undefined : state.clients.get(id);
}

/** Registered in another data center only, its secret is no secret here. */
export const registeredHere = (state: CrmBState, { dataCenters }: Client) =>
  !dataCenters || dataCenters.includes(state.settings.location);

export function redirectAllowed({ redirectUris }: Client, uri: string | undefined): boolean {
  if (uri === undefined) return false;
  if (redirectUris) return redirectUris.includes(uri);
  return /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?\//.test(uri);
}
