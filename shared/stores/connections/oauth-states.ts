import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dataCenters } from '../../domain/connections/access/data-center.ts';
import { mayBeId, newToken } from '../../domain/ids.ts';
import { actorSchema } from '../../domain/organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';

/** A consent in progress. */
const oauthStateSchema = z.object({
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
  /** Whether the callback connects. Otherwise the consent awaits a confirmation. */
  connects: z.optional(z.enum(['at_callback', 'when_confirmed'])),
  /** The hash of the cookie of the browser that began it; absent for the command line. */
  browser_hash: z.optional(z.string()),
});

export type OauthState = z.infer<typeof oauthStateSchema>;
export type OauthStateStore = ReturnType<typeof oauthStateStore>;

/** The lifetime of a state (docs/crm-b.md, "Connecting"). */
const LIFE_SECONDS = 10 * 60;

/** Accesses the OauthStates table. A state admits one callback within ten minutes. */
export function oauthStateStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    creating(state: OauthState): Write {
      const expires_at = Math.ceil(Date.parse(state.created_at) / 1000) + LIFE_SECONDS;
      return writes.put({ ...state, expires_at }, [{ expression: 'attribute_not_exists(#state)' }]);
    },

    /**
     * Uses up a state. Its mark names the taker, so that a repeat of this write by the SDK succeeds.
     * @returns undefined if the state is unknown, used, ten minutes old or of another type
     */
    async take(state: string, type: OauthState['type'], now: Date): Promise<OauthState | undefined> {
      if (!mayBeId(state)) return undefined;
      const by = newToken();
      const taken = await writes.tryUpdateReturning('ALL_NEW', { state }, { set: { taken_by: by } }, [
        { expression: 'attribute_not_exists(taken_by) OR taken_by = :by', values: { by } },
        {
          expression: '#type = :type AND created_at > :oldest',
          values: { type, oldest: secondsAfter(now, -LIFE_SECONDS) },
        },
      ]);
      return taken && oauthStateSchema.parse(taken);
    },
  };
}
