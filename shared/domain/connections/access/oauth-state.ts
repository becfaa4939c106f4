import * as z from 'zod/mini';
import { actorSchema } from '../../organizations/audit/audit-entry.ts';
import { dataCenters } from './data-center.ts';

/** A consent in progress, as it is stored. */
export const oauthStateSchema = z.object({
  state: z.string(),
  org_id: z.string(),
  connection_id: z.string(),
  type: z.enum(['crm-b', 'help-desk']),
  data_center: z.enum(dataCenters),
  /** The PKCE verifier. The vendor has its hash. */
  verifier: z.string(),
  /** The exchange must name the same address. */
  redirect_uri: z.string(),
  created_at: z.string(),
  begun_by: z.optional(actorSchema),
  /** Whether the callback may connect. Otherwise the consent awaits a confirmation. */
  connects: z.optional(z.enum(['at_callback', 'when_confirmed'])),
  /** The hash of the cookie of the browser that began it; absent for the command line. */
  browser_hash: z.optional(z.string()),
});

export type OauthState = z.infer<typeof oauthStateSchema>;
