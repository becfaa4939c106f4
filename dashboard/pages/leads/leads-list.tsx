import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX, Target } from 'lucide-react';
import type { LeadFilters } from '../../app/lead-filters.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Table } from '../../parts/table.tsx';
import { leadFiltersInWords } from '../../words/leads.ts';
import { timeInIndia } from '../../words/times.ts';
import { LeadRow } from './lead-row.tsx';
import styles from './leads.module.css';
import { leadPages } from './leads-query.ts';

const COLUMNS = ['Came in', 'From', 'Lead', 'Outcome', 'What to do', ''];

type Props = {
  filters: LeadFilters;
  show: (filters: LeadFilters) => void;
  ask: (question: string) => void;
};

export function LeadsList({ filters, show, ask }: Props) {
  const list = useInfiniteQuery(leadPages(filters));
  const events = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const searchedTo = list.data?.pages.at(-1)?.searched_to ?? undefined;
  const isFiltered = Object.keys(filters).length > 0;
  if (list.isPending)
    return (
      <Card>
        <Skeleton what="Loading the leads" />
      </Card>
    );
  if (list.data === undefined) return <Failure error={list.error} retry={() => list.refetch()} />;
  return (
    <>
      {list.isError && <Failure error={list.error} retry={() => list.refetch()} />}
      <Card isFlush>
        {events.length > 0 && (
          <Table
            caption="Lead events, the newest first"
            columns={COLUMNS}
            isDense
            isOld={list.isPlaceholderData || list.isError}
          >
            {events.map((event) => (
              <LeadRow key={`${event.connection_id} ${event.id}`} event={event} ask={ask} />
            ))}
          </Table>
        )}
        {events.length === 0 && !isFiltered && <NothingCame />}
        {events.length === 0 && isFiltered && (
          <Empty
            icon={SearchX}
            title={list.hasNextPage ? 'Nothing matches so far' : 'No lead event matches'}
            actions={<Button onClick={() => show({})}>Clear the filters</Button>}
          >
            {leadFiltersInWords(filters)}
          </Empty>
        )}
        {(list.hasNextPage || searchedTo) && (
          <div className={styles.below} aria-live="polite">
            {isFiltered && searchedTo && <span>Searched back to {timeInIndia(searchedTo)}.</span>}
            {list.hasNextPage && (
              <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                {events.length === 0 ? 'Search further back' : 'Load more'}
              </Button>
            )}
          </div>
        )}
      </Card>
    </>
  );
}

const NothingCame = () => (
  <Empty icon={Target} title="No lead has come in yet" actions={<Link to="/connections">Look at the connections</Link>}>
    Leads come from CRM-A or CRM-B. If one of them is connected, the two usual causes are a webhook that is off in the
    CRM, and a token that is not the connection’s.
  </Empty>
);
