import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { CallRow as Row } from '../../../shared/messages/dashboard/calls.ts';
import { EmptyCell } from '../../components/list/empty-cell.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { CallStatusBadge, ElapsedTime } from '../../components/text/call-status-badge.tsx';
import { Time } from '../../components/text/time.tsx';
import {
  callbackWords,
  describeEndedReason,
  formatPhone,
  sourceNames,
  type statusWords,
  successWords,
} from '../../words/calls/calls.ts';
import { nameIn, wordsIn } from '../../words/newer.ts';
import { formatCredits, formatDuration } from '../../words/times.ts';
import styles from './calls.module.css';

/** Statuses whose names already give the reason. */
const STATUSES_WITHOUT_REASON = ['completed', 'transferred', 'no_answer', 'busy'];

/** Rendered again only if the call changes: a list may have hundreds of rows, and refreshes every 2 s. */
export const CallRow = memo(function ListedCall({ call }: { call: Row }) {
  const { ended_reason, status } = call;
  return (
    <tr>
      <td>
        <Time at={call.placed_at} />
      </td>
      <td data-label="Phone">
        <Link to="/calls/$id" params={{ id: call.id }} className={styles.phone}>
          {formatPhone(call.phone_number)}
        </Link>
      </td>
      <td data-label="Assistant">{call.assistant.name}</td>
      <td data-label="Source" className={styles.source}>
        {nameIn(sourceNames, call.source)}
      </td>
      <td data-label="Status">
        <CallStatusBadge status={status} />
        {ended_reason && !STATUSES_WITHOUT_REASON.includes(status) && (
          <p className={styles.reason}>{describeEndedReason(ended_reason)}</p>
        )}
        {call.scheduled_for && (
          <p className={styles.reason}>
            until <Time at={call.scheduled_for} />
          </p>
        )}
      </td>
      <td data-label="Length" className={styles.number}>
        <Length call={call} />
      </td>
      <td data-label="Credits" className={styles.number}>
        {call.cost === null ? <EmptyCell /> : formatCredits(call.cost)}
      </td>
      <td data-label="Result">
        {call.success ? <LabelBadge words={wordsIn(successWords, call.success)} /> : <EmptyCell />}
      </td>
      <td data-label="Callback">
        {call.callback_status ? <LabelBadge words={wordsIn(callbackWords, call.callback_status)} /> : <EmptyCell />}
      </td>
    </tr>
  );
});

function Length({ call: { duration, status, started_at } }: { call: Row }) {
  if (duration !== null) return formatDuration(duration);
  return status === 'in_progress' && started_at ? <ElapsedTime since={started_at} /> : <EmptyCell />;
}

const LabelBadge = ({ words: { name, tone } }: { words: (typeof statusWords)['queued'] }) => (
  <Badge tone={tone}>{name}</Badge>
);
