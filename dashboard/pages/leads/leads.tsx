import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listLeadEvents } from '../../../shared/messages/dashboard/leads.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type LeadFilters, type LeadSearch, leadEventsQuery } from '../../app/url/lead-filters.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { Page } from '../../components/layout/page.tsx';
import { CsvExport } from '../../components/list/csv-export.tsx';
import { leadsCsv } from '../../words/leads/leads-csv.ts';
import { LeadGroups } from './lead-groups.tsx';
import { LeadsFilterBar } from './leads-filter-bar.tsx';
import { LeadsList } from './leads-list.tsx';
import { explanationOf, leadPages } from './leads-query.ts';
import { Question } from './question.tsx';

export const prefetch = ({ search: { ask, ...filters } }: LinkTarget<LeadSearch>) =>
  ask === undefined
    ? queryClient.prefetchInfiniteQuery(leadPages(filters))
    : queryClient.prefetchQuery(explanationOf(ask));

/** Events from the CRMs, and why a lead was or was not called. The search and the filters are in the address. */
export function Leads() {
  const search = useSearch({ from: '/shell/leads' });
  const navigate = useNavigate();
  // Drops the undefined values, which would count as filters, and keeps one object until the address changes.
  const { ask, ...rest } = search;
  const key = JSON.stringify(rest);
  const filters = useMemo<LeadFilters>(() => JSON.parse(key), [key]);
  const go = (next: LeadSearch, replace: boolean) =>
    navigate({ to: '/leads', search: next, replace, resetScroll: false });
  const show = (next: LeadFilters) => go({ ...next, ...(ask && { ask }) }, true);
  const askFor = (question: string | undefined) => go({ ...filters, ...(question && { ask: question }) }, false);
  return (
    <Page
      title="Leads"
      lead="Events from your CRMs, the newest first, with their outcomes."
      actions={
        <CsvExport
          file="leads.csv"
          noun="lead events"
          write={leadsCsv}
          load={(next, signal) =>
            callApi(listLeadEvents, { query: { ...leadEventsQuery(filters), limit: '200', next }, signal })
          }
        />
      }
    >
      <Question asked={ask} onAsk={askFor} />
      <LeadGroups filters={filters} onFilter={show} />
      <LeadsFilterBar filters={filters} onFilter={show} />
      <LeadsList filters={filters} onFilter={show} onAsk={askFor} />
    </Page>
  );
}
