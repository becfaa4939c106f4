import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listCalls } from '../../../shared/messages/dashboard/calls.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type CallFilters, callsQuery } from '../../app/url/call-filters.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { buttonClass } from '../../components/button/button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { CsvExport } from '../../components/list/csv-export.tsx';
import { describeListedCalls } from '../../words/calls/call-filters.ts';
import { callsCsv } from '../../words/calls/calls-csv.ts';
import { CallsFilterBar } from './calls-filter-bar.tsx';
import { CallsList } from './calls-list.tsx';
import { callPages } from './calls-query.ts';
import { CallsTabs } from './calls-tabs.tsx';

export const prefetch = ({ search }: LinkTarget<CallFilters>) => queryClient.prefetchInfiniteQuery(callPages(search));

/** Every call, newest first. The filters are in the address, so that a view can be shared. */
export function Calls() {
  const search = useSearch({ from: '/shell/calls' });
  const navigate = useNavigate();
  // Drops the undefined values, which would count as filters, and keeps one object until the address changes.
  const key = JSON.stringify(search);
  const filters = useMemo<CallFilters>(() => JSON.parse(key), [key]);
  const show = (next: CallFilters) => navigate({ to: '/calls', search: next, replace: true, resetScroll: false });
  return (
    <Page
      title="Calls"
      lead={describeListedCalls(filters)}
      actions={
        <>
          <Link to="/assistants" className={buttonClass('secondary')}>
            New test call
          </Link>
          <CsvExport
            file="calls.csv"
            noun="calls"
            write={callsCsv}
            load={(next, signal) =>
              callApi(listCalls, { query: { ...callsQuery(filters), limit: '200', next }, signal })
            }
          />
        </>
      }
    >
      <CallsTabs filters={filters} />
      <CallsFilterBar filters={filters} onFilter={show} />
      <CallsList filters={filters} onFilter={show} />
    </Page>
  );
}
