import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OauthState, oauthStateSchema } from '../../domain/connections/access/oauth-state.ts';
import { mayBeId, newToken } from '../../domain/ids.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';

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
