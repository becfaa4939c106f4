import { Inbox } from 'lucide-react';
import { outcomes } from '../../../shared/domain/connections/activity.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { Card } from '../../components/layout/card.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describeOutcome } from '../../words/leads/outcomes.ts';
import { countedLeads } from '../../words/overview/counted-leads.ts';
import { formatInteger } from '../../words/overview/overview.ts';
import styles from './home.module.css';
import { Unavailable } from './unavailable.tsx';

/** The outcomes of leads with an event since midnight in India. */
export function LeadsToday({ overview: { leads, at } }: { overview: Overview }) {
  if (!leads) return <Unavailable what="The leads of today" />;
  const newer = Object.keys(leads.outcomes).filter((name) => outcomes.every((outcome) => outcome !== name));
  const why = [...outcomes, ...newer].flatMap((outcome) => {
    const count = leads.outcomes[outcome];
    return count ? [{ outcome, count }] : [];
  });
  const today = istDay(new Date(at));
  return (
    <Card title="Leads today" action={<InternalLink href="/leads">All leads</InternalLink>}>
      {leads.leads === 0 ? (
        <EmptyState icon={Inbox} title="No leads today">
          Leads come from a connected CRM.
        </EmptyState>
      ) : (
        <>
          <p className={styles.flow}>
            <strong>{formatInteger(leads.leads)}</strong> came in{leads.is_all ? '' : ' (at least)'}:{' '}
            <strong>{formatInteger(leads.called)}</strong> called, <strong>{formatInteger(leads.waiting)}</strong>{' '}
            waiting, <strong>{formatInteger(leads.not_called)}</strong> not called.
          </p>
          <ul className={styles.why}>
            {why.map(({ outcome, count }) => (
              <li key={outcome}>
                {formatInteger(count)}{' '}
                {newer.includes(outcome) ? (
                  outcome
                ) : (
                  <InternalLink href={countedLeads({ outcome, from: today })}>
                    {describeOutcome(outcome).name}
                  </InternalLink>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
