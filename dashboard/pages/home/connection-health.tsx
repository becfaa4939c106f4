import { Plug } from 'lucide-react';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { buttonClass } from '../../components/button/button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describeHealth } from '../../words/connections/connections.ts';
import { newerConnectionWords } from '../../words/connections/newer-connection.ts';
import { formatTimeAgo } from '../../words/overview/overview.ts';
import styles from './home.module.css';
import { Unavailable } from './unavailable.tsx';

type Props = Pick<Overview, 'connections' | 'newer_connections' | 'at'>;

/** The health of each connection. */
export function ConnectionHealth({ connections, newer_connections: newer = [], at }: Props) {
  if (!connections) return <Unavailable what="The connections" />;
  return (
    <Card title="Connections" action={<InternalLink href="/connections">All connections</InternalLink>}>
      {connections.length + newer.length === 0 ? (
        <EmptyState
          icon={Plug}
          title="No connections yet"
          actions={
            <InternalLink href="/connections" className={buttonClass('secondary')}>
              Connect a CRM
            </InternalLink>
          }
        >
          A connected CRM sends its new leads, and your assistant calls them.
        </EmptyState>
      ) : (
        <ul className={styles.connections}>
          {connections.map(({ connection_id, type, status, reason, last_delivery_at, auto_call }) => {
            const { name, tone } = describeHealth({ status, reason });
            return (
              <li key={connection_id}>
                <InternalLink href={`/connections/${connection_id}`}>{connectionNames[type]}</InternalLink>
                <Badge tone={tone}>{name}</Badge>
                <span className={styles.note}>
                  {last_delivery_at && `last delivery ${formatTimeAgo(last_delivery_at, at)}`}
                  {type !== 'help-desk' && status !== 'not_connected' && !auto_call && ' calls are switched off'}
                </span>
              </li>
            );
          })}
          {newer.map(({ connection_id, type }) => (
            <li key={connection_id}>
              <span>{type}</span>
              <Badge tone="plain">{newerConnectionWords.name}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
