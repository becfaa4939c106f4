import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CrmBreaker } from '../../domain/connections/crm-breaker.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { isStill } from '../dynamodb/update.ts';

export type ConnectionBreakers = ReturnType<typeof connectionBreakers>;

/** Accesses the breakers of CRM-B connections in the Connections table. */
export function connectionBreakers(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /**
     * Replaces a breaker; undefined means closed without failures.
     * @returns false if another worker has changed it since it was read as `before`
     */
    replace: (connectionId: string, before: CrmBreaker | undefined, next: CrmBreaker | undefined): Promise<boolean> =>
      writes.tryUpdate(
        { connection_id: connectionId },
        next ? { set: { crm_breaker: next } } : { remove: ['crm_breaker'] },
        [{ expression: 'attribute_exists(connection_id)' }, isStill('crm_breaker', before)],
      ),
  };
}
