import type { ConnectionView, ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { Card } from '../../components/layout/card.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { LeadLink } from '../../components/text/lead-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { formatMaskedPhone } from '../../words/leads/leads.ts';
import { describeOutcome } from '../../words/leads/outcomes.ts';
import styles from './connection.module.css';

type Props = { connection: ConnectionView; events: ShownConnection['events'] };

/** The newest leads of the connection. */
export function Events({ connection, events }: Props) {
  return (
    <Card title="Newest leads" action={<InternalLink href={`/leads?crm=${connection.type}`}>All leads</InternalLink>}>
      {events.length === 0 ? (
        <p className={styles.muted}>No lead has arrived yet. The first one will appear here automatically.</p>
      ) : (
        <ul className={styles.events}>
          {events.map((event) => (
            <li key={event.event_id}>
              <Time at={event.at} />
              <div>
                <Badge tone={describeOutcome(event.outcome).tone}>{describeOutcome(event.outcome).name}</Badge>{' '}
                {event.test && <Badge>Test</Badge>}
              </div>
              <p className={styles.muted}>{event.reason}</p>
              <p>
                {event.phone_masked && <>{formatMaskedPhone(event.phone_masked)} </>}
                {event.call_id ? (
                  <CallLink callId={event.call_id} />
                ) : (
                  event.lead_id && (
                    <LeadLink leadId={event.lead_id}>
                      Why?<VisuallyHidden> Lead {event.lead_id}</VisuallyHidden>
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
