import { memo } from 'react';
import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import { Button } from '../../components/button/button.tsx';
import { EmptyCell } from '../../components/list/empty-cell.tsx';
import { tableStyles } from '../../components/list/table.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { statusWords } from '../../words/calls/calls.ts';
import { describeReason } from '../../words/leads/lead-reasons.ts';
import { fixHref } from '../../words/leads/lead-verdict.ts';
import { crmNames, formatMaskedPhone, happeningNames, sourceWords, supersededWords } from '../../words/leads/leads.ts';
import { describeOutcome } from '../../words/leads/outcomes.ts';
import { nameIn, wordsIn } from '../../words/newer.ts';
import styles from './leads.module.css';

type Props = { event: LeadEventRow; onAsk: (question: string) => void };

export const LeadRow = memo(function ListedEvent({ event, onAsk }: Props) {
  const { crm, lead_id, phone_masked, outcome, call } = event;
  const words = describeOutcome(outcome);
  return (
    <tr>
      <td>
        <Time at={event.at} />
      </td>
      <td data-label="From">
        {nameIn(crmNames, crm)}, {nameIn(happeningNames, event.event)}
        {nameIn(sourceWords, event.source) && <p className={styles.hint}>{nameIn(sourceWords, event.source)}</p>}
        {event.is_test && (
          <p className={styles.hint}>
            <Badge tone="info">Test</Badge>
          </p>
        )}
        <PayloadKeys keys={event.payload_keys} />
      </td>
      <td data-label="Lead">
        <span className={styles.id}>{lead_id ?? <EmptyCell />}</span>
        {phone_masked && <p className={styles.phone}>{formatMaskedPhone(phone_masked)}</p>}
      </td>
      <td data-label="Outcome">
        <Badge tone={words.tone}>{words.name}</Badge>
        <p className={styles.hint}>{describeReason(event)}</p>
        {event.scheduled_for && (
          <p className={styles.hint}>
            for <Time at={event.scheduled_for} />
          </p>
        )}
      </td>
      <td data-label="What to do">
        {call ? (
          <InternalLink href={`/calls/${encodeURIComponent(call.id)}`}>
            Call{call.status ? `: ${wordsIn(statusWords, call.status).name.toLowerCase()}` : ''}
          </InternalLink>
        ) : (
          !event.is_superseded && <RowFix event={event} onAsk={onAsk} />
        )}
        {event.is_superseded && <p className={styles.hint}>{supersededWords}</p>}
      </td>
      <td className={tableStyles.end}>
        {lead_id && (
          <Button variant="quiet" className={styles.why ?? ''} onClick={() => onAsk(lead_id)}>
            Why?<VisuallyHidden> Lead {lead_id}</VisuallyHidden>
          </Button>
        )}
      </td>
    </tr>
  );
});

function RowFix({ event, onAsk }: Props) {
  const { text, at } = describeOutcome(event.outcome).fix;
  const { connection_id, call, lead_id } = event;
  // The answer to the search shows the call.
  if (at === 'other_call' && lead_id)
    return (
      <button type="button" className={styles.link} onClick={() => onAsk(lead_id)}>
        {text}
      </button>
    );
  const href = fixHref(at, { connection_id, call });
  return href === undefined ? text : <InternalLink href={href}>{text}</InternalLink>;
}

const PayloadKeys = ({ keys }: { keys: readonly string[] }) =>
  keys.length === 0 ? null : (
    <details className={styles.keys}>
      <summary>{keys.length === 1 ? '1 payload key' : `${keys.length} payload keys`}</summary>
      <code>{keys.join(' ')}</code>
    </details>
  );
