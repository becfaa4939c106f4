import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorToShow } from '../../app/query/stale-data.ts';
import { Button } from '../button/button.tsx';
import { Card } from '../layout/card.tsx';
import { ErrorNotice } from '../message/error-notice.tsx';
import { Skeleton } from '../message/skeleton.tsx';
import { Time } from '../text/time.tsx';
import styles from './paged-list.module.css';

type Page<Item> = { items: Item[]; searched_to?: string | null };

/** Introduces the time that an unfinished search has reached. */
type SearchWords = { searchedTo: string; action: string };

const backwards: SearchWords = {
  searchedTo: 'Searched back to',
  action: 'Search further back',
};

type Props<Item> = {
  list: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  /** The noun for the loaded data, after "Loading". */
  noun: string;
  /** Whether the API searches for matching items. */
  isFiltered?: boolean;
  /** Absent if it searches back in time. */
  search?: SearchWords | undefined;
  /** @param isPlaceholderData whether newer items are loading */
  children: (items: Item[], isPlaceholderData: boolean) => ReactNode;
};

/** A list that is read page by page: skeleton, failure, items, and a button for more. */
export function PagedList<Item>({ list, noun, isFiltered = false, search = backwards, children }: Props<Item>) {
  if (list.isPending)
    return (
      <Card>
        <Skeleton label={`Loading ${noun}`} />
      </Card>
    );
  if (list.data === undefined) return <ErrorNotice error={list.error} onRetry={() => list.refetch()} />;
  const error = list.isFetchNextPageError ? null : errorToShow(list);
  const items = list.data.pages.flatMap((page) => page.items);
  // The former rows are not the result of the new filters.
  const searchedTo = isFiltered && !list.isPlaceholderData ? list.data.pages.at(-1)?.searched_to : undefined;
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={() => list.refetch()} />}
      <Card isFlush>
        {children(items, list.isPlaceholderData)}
        {list.isFetchNextPageError && (
          <div className={styles.more}>
            <ErrorNotice error={list.error} onRetry={() => list.fetchNextPage()} />
          </div>
        )}
        {(list.hasNextPage || searchedTo) && (
          <div className={styles.more} aria-live="polite">
            {searchedTo && (
              <span>
                {search.searchedTo} <Time at={searchedTo} />.
              </span>
            )}
            {list.hasNextPage && (
              <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                {items.length === 0 ? search.action : 'Load more'}
              </Button>
            )}
          </div>
        )}
      </Card>
    </>
  );
}
