import type { SeenRequest } from '../kit/journal.ts';

/** An OAuth client as the API console registers it. */
export type Client = {
  id: string;
  secret: string;
  /** If absent, any loopback address is allowed. */
  redirectUris?: string[];
  /** The data centers where it is registered; if absent, all of them. */
  dataCenters?: string[];
};

export const defaultClient: Client = { id: '1000.CRMBSIMULATORCLIENT', secret: 'crm-b-simulator-secret' };

/** A user of a Zoho organization. Records of one organization are invisible to others. */
export type User = { id: string; name: string; email: string; org: string };

export const firstUsers: User[] = [
  { id: '554000000000101', name: 'Asha Rao', email: 'asha@example.com', org: 'main' },
  { id: '554000000000102', name: 'Vikram Nair', email: 'vikram@example.com', org: 'main' },
];

export type Code = {
  code: string;
  clientId: string;
  userId: string;
  redirectUri: string;
  scopes: string[];
  /** Whether its exchange gives a refresh token: offline access, and a first or an explicitly requested consent. */
  withRefresh: boolean;
  challenge?: { value: string; method: string };
  issuedAt: number;
  used: boolean;
};

export type AccessToken = { token: string; issuedAt: number; expiresAt: number; revoked: boolean };

export type Grant = {
  /** The refresh token; null if only online access was requested. */
  token: string | null;
  clientId: string;
  userId: string;
  scopes: string[];
  issuedAt: number;
  revoked: boolean;
  access: AccessToken[];
};

/** A request of the accounts server, or of an API that shares its journal. */
export type ZohoRequest = SeenRequest & {
  at: string;
  side: 'accounts' | 'api';
  /** Such as `GET /crm/v8/Leads/{id}`; `unknown` if no route matches. */
  route: string;
  query: Record<string, string>;
  /** Parsed JSON, a form as an object, any other body as text. */
  body: unknown;
  /** The access token as it was sent. */
  token: string | null;
};
