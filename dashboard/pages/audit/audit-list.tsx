import { useInfiniteQuery } from '@tanstack/react-query';
import { History, SearchX } from 'lucide-react';
import type { AuditFilters } from '../../app/filters.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Table } from '../../parts/table.tsx';
import { timeInIndia } from '../../words/times.ts';
import styles from './audit.module.css';
import { auditPages } from './audit-query.ts';
import { AuditRow } from './audit-row.tsx';

type Props = { filters: AuditFilters; show: (filters: AuditFilters) => void };

export function AuditList({ filters, show }: Props) {
  const list = useInfiniteQuery(auditPages(filters));
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const searchedTo = list.data?.pages.at(-1)?.searched_to ?? undefined;
  const isFiltered = Object.keys(filters).length > 0;
  if (list.isPending)
    return (
      <Card>
        <Skeleton what="Loading the audit log" />
      </Card>
    );
  if (list.data === undefined) return <Failure error={list.error} retry={() => list.refetch()} />;
  return (
    <>
      {list.isError && <Failure error={list.error} retry={() => list.refetch()} />}
      <Card isFlush>
        {entries.length > 0 && (
          <Table
            caption="Changes, the newest first"
            columns={['When', 'What', 'Before and after']}
            isOld={list.isPlaceholderData || list.isError}
          >
            {entries.map((entry) => (
              <AuditRow key={entry.entry} entry={entry} onThing={(thing) => show({ ...filters, thing })} />
            ))}
          </Table>
        )}
        {entries.length === 0 && !isFiltered && (
          <Empty icon={History} title="Nothing was changed yet">
            As soon as somebody is invited, or a role or a profile is changed, it shows here.
          </Empty>
        )}
        {entries.length === 0 && isFiltered && (
          <Empty
            icon={SearchX}
            title={list.hasNextPage ? 'Nothing matches so far' : 'No change matches these filters'}
            actions={<Button onClick={() => show({})}>Clear the filters</Button>}
          />
        )}
        {(list.hasNextPage || searchedTo) && (
          <div className={styles.more} aria-live="polite">
            {searchedTo && <span>Searched back to {timeInIndia(searchedTo)}.</span>}
            {list.hasNextPage && (
              <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                {entries.length === 0 ? 'Search further back' : 'Load more'}
              </Button>
            )}
          </div>
        )}
      </Card>
    </>
  );
}
