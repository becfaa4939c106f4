import * as z from 'zod/mini';
import { shownSchemaOf } from '../newer-values.ts';
import type { Connection } from './connection.ts';
import { connectionSchema } from './connection-schema.ts';

const attributes = { connection_id: true, org_id: true, type: true, created_at: true, assistant_id: true } as const;
const schema = shownSchemaOf(z.pick(connectionSchema, attributes));

/** A connection that a newer version wrote: this version does not know its type, or another of its values. */
export type NewerConnection = z.output<typeof schema>;

export const parseNewerConnection = (item: unknown): NewerConnection => schema.parse(item);

/** The connections of an organization for readers that only show them. */
export type ShownConnections = { known: Connection[]; newer: NewerConnection[] };

/** Returns the connection as people see it. They cannot change it. */
export const viewNewerConnection = ({ connection_id, type, created_at }: NewerConnection) => ({
  connection_id,
  type,
  created_at,
});
