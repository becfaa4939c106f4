import { useEffect, useRef, useState } from 'react';
import type { RetryableOutcome } from '../../../shared/domain/connections/activity.ts';
import {
  type LeadEventCounts,
  type RetryBody,
  type RetrySlice,
  retryLeads,
} from '../../../shared/messages/dashboard/leads.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { describeDays, type LeadFilters, retryRequestOf } from '../../app/url/lead-filters.ts';
import { Button } from '../../components/button/button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { Actions } from '../../components/form/form.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { toast } from '../../components/message/toasts.ts';
import { outcomeWords } from '../../words/leads/outcomes.ts';
import styles from './leads.module.css';
import { refreshLeads, refreshLeadsSoon } from './leads-query.ts';

/** Without the outcomes that only a newer version knows. */
type Retryable = (LeadEventCounts['retryable'][number] & { outcome: RetryableOutcome })[];

type Props = {
  retryable: Retryable;
  /** Whether older events were not counted. */
  isCut: boolean;
  filters: LeadFilters;
  onClose: () => void;
};

/** Queues the leads again, slice by slice. A lead that is queued twice is decided once. */
export function RetryDialog({ retryable, isCut, filters, onClose }: Props) {
  const [queued, setQueued] = useState<number>();
  const { run, isBusy, failure } = useAction();
  const stopped = useRef(false);
  // Stop, Close and leaving the page all remove this dialog.
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const retry = async () => {
    stopped.current = false;
    let all = 0;
    setQueued(all);
    await run(async () => {
      for (const { connection_id: id, outcome } of retryable)
        for (let next: string | null = ''; next !== null && !stopped.current; ) {
          const body: RetryBody = { ...retryRequestOf(filters, outcome), ...(next && { next }) };
          const slice: RetrySlice = await callApi(retryLeads, { params: { id }, body });
          all += slice.queued;
          setQueued(all);
          next = slice.next;
        }
      toast(`${all.toLocaleString('en-IN')} ${all === 1 ? 'lead is' : 'leads are'} being checked again.`);
      // After a stop, another dialog may be open.
      if (!stopped.current) onClose();
    });
    refreshLeadsSoon();
    await refreshLeads();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Retry these leads?"
      lead="Each lead is checked against the current settings, do-not-call list and credit. A lead that was called is not called again."
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <ul className={styles.history}>
        {[...Map.groupBy(retryable, ({ outcome }) => outcome)].map(([outcome, ofOutcome]) => (
          <li key={outcome}>
            {ofOutcome.reduce((sum, { events }) => sum + events, 0).toLocaleString('en-IN')} ×{' '}
            {outcomeWords[outcome].name}
          </li>
        ))}
      </ul>
      <p className={styles.hint}>
        Events of {describeDays(filters)}
        {filters.tests === 'none' && ', without test events'}
        {filters.tests === 'only' && ', test events only'}
        {isCut && '. Older events with these outcomes are retried, too'}.
      </p>
      {queued !== undefined && <p role="status">{queued.toLocaleString('en-IN')} queued so far.</p>}
      <Actions>
        <Button variant="primary" isBusy={isBusy} onClick={retry}>
          Retry leads
        </Button>
        <Button data-back onClick={onClose}>
          {isBusy ? 'Stop' : 'Cancel'}
        </Button>
      </Actions>
    </Dialog>
  );
}
