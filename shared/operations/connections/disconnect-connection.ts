import type { Connection } from '../../domain/connections/connection.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Write } from '../../stores/dynamodb/transaction.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';
import type { Disconnected } from './steps/end-consent.ts';

export type DisconnectConnectionDeps = AuditConnectionDeps & {
  connections: Pick<ConnectionStore, 'replacingToken'>;
  /** Ends the consent of CRM-B or the help desk. @param extraWrite a write of the transaction that removes it */
  endConsent: (connection: Connection, extraWrite: Write) => Promise<Disconnected | undefined>;
};

export type DisconnectingConnection =
  /** `provider`: the result for channel and grant; undefined for CRM-A, which has neither. */
  | { kind: 'disconnected'; provider: Disconnected | undefined }
  | { kind: 'connection_not_found' }
  /** A new consent was given in the meantime. */
  | { kind: 'reconnected_meanwhile' };

/**
 * Disconnects a connection: deliveries are refused, and queued leads are not called. Settings and Activity stay. A
 * repeat changes nothing and is not audited.
 */
export async function disconnectConnection(
  deps: DisconnectConnectionDeps,
  actor: Actor,
  connection: Connection,
): Promise<DisconnectingConnection> {
  const audit = auditConnection(deps, actor, connection, 'connection.disconnected');
  if (connection.type !== 'crm-a') {
    const provider = await deps.endConsent(connection, audit);
    return provider ? { kind: 'disconnected', provider } : { kind: 'reconnected_meanwhile' };
  }
  const isRepeat = connection.token_hash === undefined;
  const result = await deps.transact({
    connection: deps.connections.replacingToken(connection.connection_id, undefined),
    audit: isRepeat ? undefined : audit,
  });
  return result.committed ? { kind: 'disconnected', provider: undefined } : { kind: 'connection_not_found' };
}
