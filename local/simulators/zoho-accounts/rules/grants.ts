import { createHash, randomBytes } from 'node:crypto';
import type { AccessToken, Code, Grant } from '../model.ts';
import type { AccountsState } from '../state.ts';

const TEN_MINUTES_MS = 600_000;
const newToken = () => `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`;

/** Returns whether an item is at most 10 minutes old. After the clock is set back, a future item does not count. */
const isRecent = ({ clock }: AccountsState, { issuedAt }: { issuedAt: number }) =>
  issuedAt > clock() - TEN_MINUTES_MS && issuedAt <= clock();

/**
 * Returns whether a client reached its limit of codes. The vendor answers `access_denied` (Zoho CRM v8, "Token
 * validity").
 */
export function hasTooManyCodes(state: AccountsState, clientId: string): boolean {
  const recent = state.codes.filter((code) => code.clientId === clientId && isRecent(state, code));
  return recent.length >= state.settings.codesPerTenMinutes;
}

export function issueCode(
  state: AccountsState,
  request: Omit<Code, 'code' | 'issuedAt' | 'used' | 'withRefresh'> & { isOffline: boolean; promptsConsent: boolean },
): Code {
  const { isOffline, promptsConsent, ...rest } = request;
  const consent = `${rest.clientId} ${rest.userId}`;
  const code: Code = {
    ...rest,
    withRefresh: isOffline && (promptsConsent || !state.consents.has(consent)),
    code: newToken(),
    issuedAt: state.clock(),
    used: false,
  };
  if (isOffline) state.consents.add(consent);
  state.codes.push(code);
  return code;
}

/** Returns whether the verifier proves that the client began the consent (RFC 7636). */
export function isChallengeMet({ challenge }: Code, verifier = ''): boolean {
  if (!challenge) return true;
  const derived = challenge.method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return derived === challenge.value;
}

/** Creates a grant from a code. @returns `throttled` if the user and the client got too many within 10 minutes */
export function issueGrant(
  state: AccountsState,
  { clientId, userId, scopes, withRefresh }: Pick<Code, 'clientId' | 'userId' | 'scopes' | 'withRefresh'>,
): Grant | 'throttled' {
  const { clock, settings } = state;
  if (withRefresh) {
    const mine = state.grants.filter(
      (grant) => grant.token !== null && grant.clientId === clientId && grant.userId === userId,
    );
    const recent = mine.filter((grant) => isRecent(state, grant));
    if (recent.length >= settings.refreshTokensPerTenMinutes) return 'throttled';
    const alive = mine.filter(({ revoked }) => !revoked);
    // The vendor deletes the oldest refresh token, with its access tokens, when a client exceeds the limit.
    if (alive.length >= settings.refreshTokens && alive[0]) revoke(alive[0]);
  }
  const token = withRefresh ? newToken() : null;
  const grant: Grant = { token, clientId, userId, scopes, issuedAt: clock(), revoked: false, access: [] };
  state.grants.push(grant);
  return grant;
}

/** Issues an access token. @returns `throttled` if the grant got too many within 10 minutes */
export function issueAccess(state: AccountsState, grant: Grant): AccessToken | 'throttled' {
  const { settings } = state;
  const now = state.clock();
  const recent = grant.access.filter((access) => isRecent(state, access));
  if (recent.length >= settings.accessTokensPerTenMinutes) return 'throttled';
  const active = grant.access.filter(({ revoked, expiresAt }) => !revoked && expiresAt > now);
  if (active.length >= settings.activeAccessTokens && active[0]) active[0].revoked = true;
  const access = {
    token: newToken(),
    issuedAt: now,
    expiresAt: now + 1000 * settings.accessTokenSeconds,
    revoked: false,
  };
  grant.access.push(access);
  return access;
}

export function revoke(grant: Grant): void {
  grant.revoked = true;
  for (const access of grant.access) access.revoked = true;
}

/** Finds the grant of a valid access token. */
export function grantOf(state: AccountsState, token: string): { grant: Grant; access: AccessToken } | undefined {
  for (const grant of state.grants) {
    const access = grant.access.find((each) => each.token === token);
    if (access) return access.revoked || access.expiresAt <= state.clock() ? undefined : { grant, access };
  }
  return undefined;
}
