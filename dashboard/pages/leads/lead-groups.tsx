import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isRetryable } from '../../../shared/domain/connections/activity.ts';
import { allRetryable } from '../../../shared/domain/leads/lead-counts-view.ts';
import { groupOfOutcome, outcomeGroups } from '../../../shared/domain/leads/outcome-groups.ts';
import { retryLeads } from '../../../shared/messages/dashboard/leads.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import type { LeadFilters } from '../../app/url/lead-filters.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { groupNames } from '../../words/leads/leads.ts';
import styles from './leads.module.css';
import { leadCounts } from './leads-query.ts';
import { RetryDialog } from './retry-dialog.tsx';

type Props = { filters: LeadFilters; onFilter: (filters: LeadFilters) => void };

/** The groups of outcomes with their counts, and a retry for leads that credit or the CRM stopped. */
export function LeadGroups({ filters, onFilter }: Props) {
  const me = useMe();
  const { data } = useQuery(leadCounts(filters));
  const [isRetrying, setRetrying] = useState(false);
  const counts = data?.counts;
  const isCut = data?.searched_to != null;
  const retryable = (counts ? allRetryable(counts) : []).flatMap(({ outcome, ...one }) =>
    isRetryable(outcome) ? [{ ...one, outcome }] : [],
  );
  const all = retryable.reduce((sum, { events }) => sum + events, 0);
  const { group: chosen, outcome: _, ...rest } = filters;
  const countOf = (group: (typeof outcomeGroups)[number]) =>
    Object.entries(counts?.outcomes ?? {}).reduce(
      (sum, [outcome, count]) => sum + (groupOfOutcome(outcome) === group ? count : 0),
      0,
    );
  return (
    <div className={styles.groups}>
      <fieldset className={styles.tabs}>
        <legend>
          <VisuallyHidden>Outcomes of the leads</VisuallyHidden>
        </legend>
        {outcomeGroups.map((group) => (
          <button
            key={group}
            type="button"
            className={styles.tab}
            aria-pressed={chosen === group}
            onClick={() => onFilter(chosen === group ? rest : { ...rest, group })}
          >
            {groupNames[group]}{' '}
            {counts && (
              <span className={styles.count}>
                {countOf(group).toLocaleString('en-IN')}
                {isCut && '+'}
              </span>
            )}
          </button>
        ))}
      </fieldset>
      {data?.searched_to && (
        <p className={styles.hint}>
          Counted back to <Time at={data.searched_to} />.
        </p>
      )}
      {all > 0 && (
        <GuardedButton disabledReason={deniedReason(me, retryLeads)} onClick={() => setRetrying(true)}>
          Retry {all.toLocaleString('en-IN')}
          {isCut && '+'} {all === 1 ? 'lead' : 'leads'}…
        </GuardedButton>
      )}
      {isRetrying && (
        <RetryDialog retryable={retryable} isCut={isCut} filters={filters} onClose={() => setRetrying(false)} />
      )}
    </div>
  );
}
