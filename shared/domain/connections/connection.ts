import type * as z from 'zod/mini';
// Only the type, because pages of the dashboard load this file and need no schema of stored connections.
import type { connectionSchema } from './connection-schema.ts';

export type Connection = z.infer<typeof connectionSchema>;

/** Returns whether the connection is connected: CRM-A by a webhook token, the others by a grant. */
export const isConnected = ({ type, token_hash, grant }: Pick<Connection, 'type' | 'token_hash' | 'grant'>): boolean =>
  type === 'crm-a' ? token_hash !== undefined : grant !== undefined;

/** Returns why no lead of the connection is called; undefined while leads are called. */
export function whyOff(
  connection: Pick<Connection, 'type' | 'token_hash' | 'grant' | 'auto_call'>,
): string | undefined {
  if (!isConnected(connection)) return 'The connection is disconnected.';
  return connection.auto_call ? undefined : 'Auto-call is off for this connection.';
}

/** A CRM-B connection with its grant. */
export type ConnectedCrmB = Connection & { grant: NonNullable<Connection['grant']> };

export const isConnectedCrmB = (connection: Connection | undefined): connection is ConnectedCrmB =>
  connection?.type === 'crm-b' && connection.grant !== undefined;
