import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { type CreditSearch, daysOfChart, readCreditSearch } from '../../app/address/credit-search.ts';
import { rangeQuery } from '../../app/address/day-range.ts';
import type { LinkTarget } from '../../app/address/page-route.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Page } from '../../parts/layout/page.tsx';
import { CsvExport } from '../../parts/list/csv-export.tsx';
import { DayFields } from '../../parts/list/day-fields.tsx';
import { Filters } from '../../parts/list/filters.tsx';
import { creditCsv } from '../../words/organization/credit.ts';
import { Balance } from './balance.tsx';
import { CreditLedger } from './credit-ledger.tsx';
import { CreditPace } from './credit-pace.tsx';
import { creditPages } from './credit-query.ts';

export const prefetch = ({ search: { days: _, ...range } }: LinkTarget<CreditSearch>) =>
  queryClient.prefetchInfiniteQuery(creditPages(range));

/** The balance and its use. The days are in the address. */
export function Credit() {
  const search = useSearch({ from: '/shell/credit' });
  const navigate = useNavigate();
  // Drops the undefined values, which would count as filters, and keeps one object until the address changes.
  const key = JSON.stringify(search);
  const { days, ...range } = useMemo<CreditSearch>(() => JSON.parse(key), [key]);
  const show = (next: CreditSearch) =>
    navigate({ to: '/credit', search: readCreditSearch(next), replace: true, resetScroll: false });
  return (
    <Page
      title="Credit"
      lead="Your balance, and what it was spent on."
      actions={
        <CsvExport
          file="credit.csv"
          what="entries"
          write={creditCsv}
          load={(next, signal) =>
            callApi(listCreditEntries, { query: { ...rangeQuery(range), limit: '200', next }, signal })
          }
        />
      }
    >
      <Balance />
      <CreditPace days={daysOfChart(search)} choose={(chosen) => show({ ...range, days: chosen })} />
      <Filters count={Object.keys(range).length} clear={() => show({ ...(days && { days }) })}>
        <DayFields range={range} change={(name, day) => show({ ...search, [name]: day })} />
      </Filters>
      <CreditLedger range={range} />
    </Page>
  );
}
