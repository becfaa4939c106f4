import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type CreditSearch, daysOfChart, readCreditSearch } from '../../app/url/credit-search.ts';
import { rangeQuery } from '../../app/url/day-range.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { Page } from '../../components/layout/page.tsx';
import { CsvExport } from '../../components/list/csv-export.tsx';
import { DayFields } from '../../components/list/day-fields.tsx';
import { Filters } from '../../components/list/filters.tsx';
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
          noun="entries"
          write={creditCsv}
          load={(next, signal) =>
            callApi(listCreditEntries, { query: { ...rangeQuery(range), limit: '200', next }, signal })
          }
        />
      }
    >
      <Balance />
      <CreditPace days={daysOfChart(search)} onChoose={(chosen) => show({ ...range, days: chosen })} />
      <Filters count={Object.keys(range).length} onClear={() => show({ ...(days && { days }) })}>
        <DayFields range={range} onDayChange={(name, day) => show({ ...search, [name]: day })} />
      </Filters>
      <CreditLedger range={range} />
    </Page>
  );
}
