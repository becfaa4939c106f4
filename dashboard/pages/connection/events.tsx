import type { ConnectionView, ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { Badge } from '../../parts/badge.tsx';
import { CallLink } from '../../parts/call-link.tsx';
import { Card } from '../../parts/card.tsx';
import { Hidden } from '../../parts/hidden.tsx';
import { LeadLink } from '../../parts/lead-link.tsx';
import { OwnLink } from '../../parts/own-link.tsx';
import { Time } from '../../parts/time.tsx';
import { maskedInWords } from '../../words/leads.ts';
import { outcomeWords } from '../../words/outcomes.ts';
import styles from './connection.module.css';

type Props = { connection: ConnectionView; events: ShownConnection['events'] };

/** The newest leads of the connection. */
export function Events({ connection, events }: Props) {
  return (
    <Card title="Newest leads" action={<OwnLink href={`/leads?crm=${connection.type}`}>All leads</OwnLink>}>
      {events.length === 0 ? (
        <p className={styles.muted}>No lead has come in yet. The first one shows here by itself.</p>
      ) : (
        <ul className={styles.events}>
          {events.map((event) => (
            <li key={event.event_id}>
              <Time at={event.at} />
              <div>
                <Badge tone={outcomeWords[event.outcome].tone}>{outcomeWords[event.outcome].name}</Badge>{' '}
                {event.test && <Badge>Test</Badge>}
              </div>
              <p className={styles.muted}>{event.reason}</p>
              <p>
                {event.phone_masked && <>{maskedInWords(event.phone_masked)} </>}
                {event.call_id ? (
                  <CallLink callId={event.call_id} />
                ) : (
                  event.lead_id && (
                    <LeadLink leadId={event.lead_id}>
                      Why?<Hidden> Lead {event.lead_id}</Hidden>
                    </LeadLink>
                  )
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
