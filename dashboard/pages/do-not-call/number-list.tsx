import { useInfiniteQuery } from '@tanstack/react-query';
import { PhoneOff, SearchX } from 'lucide-react';
import { memo } from 'react';
import { type NumberView, removeDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import type { NumberSearch } from '../../app/url/number-prefix.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, tableStyles, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { formatPhone } from '../../words/calls/calls.ts';
import styles from './do-not-call.module.css';
import { doNotCallPages } from './do-not-call-query.ts';
import type { ListedNumber } from './remove-number-dialog.tsx';

type Props = { search: NumberSearch; onRemove: (number: ListedNumber) => void; onClear: () => void };

export function NumberList({ search, onRemove, onClear }: Props) {
  const list = useInfiniteQuery(doNotCallPages(search));
  return (
    <PagedList list={list} noun="the list">
      {(numbers, isPlaceholderData) => (
        <>
          {numbers.length > 0 && (
            <Table
              caption="Numbers that are not called"
              columns={['Number', 'Since', 'Source', '']}
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {numbers.map((number) => (
                <Row
                  key={number.phone ?? `${number.added_at} ${number.erased_at}`}
                  number={number}
                  onRemove={onRemove}
                />
              ))}
            </Table>
          )}
          {numbers.length === 0 &&
            (search.prefix === undefined ? (
              <EmptyState icon={PhoneOff} title="The list is empty">
                Add numbers here, one by one or from a file. A person who asks during a call not to be called again is
                added by the analysis, with a link to that call.
              </EmptyState>
            ) : (
              <EmptyState
                icon={SearchX}
                title={`No number begins with ${search.prefix}`}
                actions={<Button onClick={onClear}>Clear the search</Button>}
              />
            ))}
        </>
      )}
    </PagedList>
  );
}

type RowProps = { number: NumberView; onRemove: (number: ListedNumber) => void };

const Row = memo(function ListedRow({ number, onRemove }: RowProps) {
  const me = useMe();
  const { phone, added_at, call_id, added_by, erased_at } = number;
  const reason = phone === null ? 'Search for the number in full to remove it.' : deniedReason(me, removeDoNotCall);
  return (
    <tr>
      <td className={styles.number}>{phone === null ? 'Erased person' : formatPhone(phone)}</td>
      <td data-label="Since">
        <Time at={added_at} />
      </td>
      <td data-label="Source">
        {phone !== null && erased_at !== null && 'An erased person. '}
        {call_id === null ? (
          (added_by ?? 'An operator')
        ) : (
          <>
            Requested in a call: <CallLink callId={call_id} />
          </>
        )}
      </td>
      <td className={tableStyles.end}>
        <GuardedButton disabledReason={reason} onClick={() => phone !== null && onRemove({ ...number, phone })}>
          <span>
            Remove<VisuallyHidden> {phone ?? 'an erased person'}</VisuallyHidden>…
          </span>
        </GuardedButton>
      </td>
    </tr>
  );
});
