import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ownError } from '../app/stale.ts';
import { Button } from './button.tsx';
import { Card } from './card.tsx';
import { Failure } from './failure.tsx';
import styles from './paged-list.module.css';
import { Skeleton } from './skeleton.tsx';
import { Time } from './time.tsx';

type Page<Item> = { items: Item[]; searched_to?: string | null };

/** How a search is told that has not come to its end; the time to which it came follows. */
type SearchWords = { told: string; deed: string };

const backwards: SearchWords = {
  told: 'Searched back to',
  deed: 'Search further back',
};

type Props<Item> = {
  list: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  /** What is loaded, after "Loading". */
  what: string;
  /** Whether the API searches for items that match. */
  isFiltered?: boolean;
  /** Absent: it searches back in time. */
  search?: SearchWords | undefined;
  /** @param isOld whether other items are on their way */
  children: (items: Item[], isOld: boolean) => ReactNode;
};

/** A list that is read page by page: its skeleton, its failure, its items, and the way on. */
export function PagedList<Item>({ list, what, isFiltered = false, search = backwards, children }: Props<Item>) {
  if (list.isPending)
    return (
      <Card>
        <Skeleton what={`Loading ${what}`} />
      </Card>
    );
  if (list.data === undefined) return <Failure error={list.error} retry={() => list.refetch()} />;
  const error = list.isFetchNextPageError ? null : ownError(list);
  const items = list.data.pages.flatMap((page) => page.items);
  const searchedTo = isFiltered ? list.data.pages.at(-1)?.searched_to : undefined;
  return (
    <>
      {error !== null && <Failure error={error} retry={() => list.refetch()} />}
      <Card isFlush>
        {children(items, list.isPlaceholderData)}
        {list.isFetchNextPageError && (
          <div className={styles.more}>
            <Failure error={list.error} retry={() => list.fetchNextPage()} />
          </div>
        )}
        {(list.hasNextPage || searchedTo) && (
          <div className={styles.more} aria-live="polite">
            {searchedTo && (
              <span>
                {search.told} <Time at={searchedTo} />.
              </span>
            )}
            {list.hasNextPage && (
              <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                {items.length === 0 ? search.deed : 'Load more'}
              </Button>
            )}
          </div>
        )}
      </Card>
    </>
  );
}
