import * as z from 'zod/mini';
import { consentIdentitySchema } from './consent-identity.ts';
import { dataCenters } from './data-center.ts';

const instant = z.string();

/** A customer's grant. Its tokens are sealed under the connection's id (shared/stores/sealing.ts). */
export const grantSchema = z.object({
  /** New with every consent, so that work under a former grant cannot write. */
  id: z.string(),
  data_center: z.enum(dataCenters),
  /** The server that refreshes and revokes the tokens. */
  accounts_server: z.string(),
  api_domain: z.string(),
  refresh_token: z.string(),
  /** When the connection got it; for a pending consent, when the person gave it. */
  granted_at: instant,
  /** Who consented; absent if the remote system did not say. */
  identity: z.optional(consentIdentitySchema),
  /** For the help desk: the organizations that the grant may use. */
  organizations: z.optional(z.array(z.object({ id: z.string(), name: z.string() }))),
});

/** The access token of a grant. Every refresh increments its version. */
export const accessSchema = z.object({ version: z.number(), token: z.string(), expires_at: instant });

export type Grant = z.infer<typeof grantSchema>;
export type AccessToken = z.infer<typeof accessSchema>;
