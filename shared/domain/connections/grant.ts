import * as z from 'zod/mini';
import { dataCenters } from './data-center.ts';

const instant = z.string();

/** What a customer has granted by OAuth. Tokens are sealed under the connection's id (stores/sealing.ts). */
export const grantSchema = z.object({
  /** New with every consent: what was begun under another grant writes nothing. */
  id: z.string(),
  data_center: z.enum(dataCenters),
  /** Where the tokens are refreshed and revoked. */
  accounts_server: z.string(),
  api_domain: z.string(),
  refresh_token: z.string(),
  granted_at: instant,
  /** The help desk's: those that the grant may use, as it has told. */
  organizations: z.optional(z.array(z.object({ id: z.string(), name: z.string() }))),
});

/** The access token of a grant; its version grows with every refresh. */
export const accessSchema = z.object({ version: z.number(), token: z.string(), expires_at: instant });

export type Grant = z.infer<typeof grantSchema>;
export type AccessToken = z.infer<typeof accessSchema>;
