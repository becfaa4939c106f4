import { useInfiniteQuery } from '@tanstack/react-query';
import { Coins, SearchX } from 'lucide-react';
import { memo } from 'react';
import type { ListedCreditEntry } from '../../../shared/messages/dashboard/credit.ts';
import type { DayRange } from '../../app/url/day-range.ts';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { formatPhone } from '../../words/calls/calls.ts';
import { known, nameIn } from '../../words/newer.ts';
import { creditKindNames, creditMeanings, formatSigned } from '../../words/organization/credit.ts';
import { formatDuration } from '../../words/times.ts';
import styles from './credit.module.css';
import { creditPages } from './credit-query.ts';

/** Every entry of the ledger. */
export function CreditLedger({ range }: { range: DayRange }) {
  const list = useInfiniteQuery(creditPages(range));
  const isFiltered = Object.keys(range).length > 0;
  return (
    <PagedList list={list} noun="the ledger">
      {(entries, isPlaceholderData) => (
        <>
          {entries.length > 0 && (
            <Table
              caption="Entries of the ledger, the newest first"
              columns={['When', 'Kind', 'Amount', 'Held', 'Call or note', 'API key']}
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {entries.map((entry) => (
                <Row key={entry.entry} entry={entry} />
              ))}
            </Table>
          )}
          {entries.length === 0 && (
            <EmptyState
              icon={isFiltered ? SearchX : Coins}
              title={isFiltered ? 'No entry in these days' : 'No entries yet'}
            >
              {!isFiltered && 'Top-ups, and each call’s holds and charges, appear here. The operator adds credit.'}
            </EmptyState>
          )}
        </>
      )}
    </PagedList>
  );
}

type RowProps = { entry: ListedCreditEntry };

const Row = memo(({ entry: { at, kind, amount, held, call_id, call, key, reason } }: RowProps) => (
  <tr>
    <td>
      <Time at={at} />
    </td>
    <td data-label="Kind">
      <div className={styles.kind}>{nameIn(creditKindNames, kind)}</div>
      <div className={styles.meaning}>{known(creditMeanings, kind)}</div>
    </td>
    <td data-label="Amount" className={styles.number}>
      {formatSigned(amount)}
    </td>
    <td data-label="Held" className={styles.number}>
      {formatSigned(held)}
    </td>
    <td data-label="Call or note">
      {call_id !== null && <CallLink callId={call_id} name={call ? formatPhone(call.phone_number) : undefined} />}
      {call?.duration ? ` ${formatDuration(call.duration)}` : ''} {reason}
    </td>
    <td data-label="API key">{key === null ? '–' : <InternalLink href="/developers/keys">{key.name}</InternalLink>}</td>
  </tr>
));
