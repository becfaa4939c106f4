import { type Connection, isConnected } from '../connections/connection.ts';
import type { BrokenStatus } from '../connections/connection-health.ts';
import type { NoticeKind } from '../organizations/members/notice-roles.ts';
import type { Organization } from '../organizations/organization.ts';
import { connectionAttention, creditAttention } from '../overview/attention.ts';
import type { Seen } from './next-step.ts';
import { CREDIT, subjectOf } from './notice.ts';

/** The current state of a subject of e-mail notices. */
export type SubjectState = {
  kind: NoticeKind;
  seen: Seen;
  /** The connection, unless it is about credit. */
  connection?: Pick<Connection, 'connection_id' | 'type'> & { status?: BrokenStatus };
};

/**
 * Lists the subjects of an organization's notices with their current states, by the rules of the overview's list
 * "Needs you".
 */
export function subjectStates(org: Organization, connections: readonly Connection[]): SubjectState[] {
  const { org_id } = org;
  const isLow = creditAttention(org).some(({ kind }) => kind === 'low_credit');
  const broken = connectionAttention(connections).flatMap((one) => (one.kind === 'broken_connection' ? [one] : []));
  const ofConnections = connections.map((connection): SubjectState => {
    const { connection_id, type } = connection;
    const status = broken.find((one) => one.connection_id === connection_id)?.status;
    const is = status ? 'trouble' : isConnected(connection) ? 'fine' : 'gone';
    return {
      kind: 'broken_connection',
      seen: { org_id, subject: subjectOf(connection_id), is, isUrgent: status === 'needs_reconnect' },
      connection: { connection_id, type, ...(status && { status }) },
    };
  });
  return [
    { kind: 'low_credit', seen: { org_id, subject: CREDIT, is: isLow ? 'trouble' : 'fine', isUrgent: true } },
    ...ofConnections,
  ];
}
