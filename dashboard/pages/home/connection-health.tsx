import { Plug } from 'lucide-react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { Card } from '../../parts/layout/card.tsx';
import { Empty } from '../../parts/message/empty.tsx';
import { Badge } from '../../parts/text/badge.tsx';
import { OwnLink } from '../../parts/text/own-link.tsx';
import { connectionNames, healthInWords } from '../../words/connections/connections.ts';
import { newerConnectionWords } from '../../words/connections/newer-connection.ts';
import { agoInWords } from '../../words/overview/overview.ts';
import styles from './home.module.css';
import { Unread } from './unread.tsx';

type Props = Pick<Overview, 'connections' | 'newer_connections' | 'at'>;

/** The health of each connection. */
export function ConnectionHealth({ connections, newer_connections: newer = [], at }: Props) {
  if (!connections) return <Unread what="The connections" />;
  return (
    <Card title="Connections" action={<OwnLink href="/connections">All connections</OwnLink>}>
      {connections.length + newer.length === 0 ? (
        <Empty
          icon={Plug}
          title="No connections yet"
          actions={
            <OwnLink href="/connections" className={buttonClass('secondary')}>
              Connect a CRM
            </OwnLink>
          }
        >
          A connected CRM sends its new leads, and your assistant calls them.
        </Empty>
      ) : (
        <ul className={styles.connections}>
          {connections.map(({ connection_id, type, status, reason, last_delivery_at, auto_call }) => {
            const { name, tone } = healthInWords({ status, reason });
            return (
              <li key={connection_id}>
                <OwnLink href={`/connections/${connection_id}`}>{connectionNames[type]}</OwnLink>
                <Badge tone={tone}>{name}</Badge>
                <span className={styles.note}>
                  {last_delivery_at && `last delivery ${agoInWords(last_delivery_at, at)}`}
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
