import type { ConnectionView, ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Time } from '../../parts/time.tsx';
import { outcomeWords } from '../../words/outcomes.ts';
import styles from './connection.module.css';

type Props = { connection: ConnectionView; events: ShownConnection['events'] };

/** The newest leads of the connection. */
export function Events({ connection, events }: Props) {
  return (
    <Card title="Newest leads" action={<a href={`/leads?crm=${connection.type}`}>All leads</a>}>
      {events.length === 0 ? (
        <p className={styles.muted}>No lead has come in yet. The first one shows here by itself.</p>
      ) : (
        <ul className={styles.events}>
          {events.map((event) => (
            <li key={event.event_id}>
              <Time at={event.at} />
              <div>
                <Badge tone={outcomeWords[event.outcome].tone}>{outcomeWords[event.outcome].name}</Badge>{' '}
                {event.test && <Badge>test</Badge>}
              </div>
              <p className={styles.muted}>{event.reason}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
