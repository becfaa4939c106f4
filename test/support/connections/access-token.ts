import type { TokenResult } from '../../../shared/domain/connections/access/token-result.ts';

/** The result of a request for an access token that a connection has. */
export const aToken = (token: string): TokenResult => ({ kind: 'token', token });
