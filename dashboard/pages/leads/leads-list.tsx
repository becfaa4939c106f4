import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SearchX, Target } from 'lucide-react';
import type { LeadFilters } from '../../app/url/lead-filters.ts';
import { Button, buttonClass } from '../../components/button/button.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describeDeliveries, describeLeadFilters } from '../../words/leads/leads.ts';
import { connectionsQuery } from '../connections/connections-query.ts';
import { LeadRow } from './lead-row.tsx';
import { leadPages } from './leads-query.ts';

const COLUMNS = ['Came in', 'From', 'Lead', 'Outcome', 'What to do', ''];

type Props = {
  filters: LeadFilters;
  onFilter: (filters: LeadFilters) => void;
  onAsk: (question: string) => void;
};

export function LeadsList({ filters, onFilter, onAsk }: Props) {
  const list = useInfiniteQuery(leadPages(filters));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PagedList list={list} noun="the leads" isFiltered={isFiltered}>
      {(events, isPlaceholderData) => (
        <>
          {events.length > 0 && (
            <Table
              caption="Lead events, the newest first"
              columns={COLUMNS}
              isDense
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {events.map((event) => (
                <LeadRow key={`${event.connection_id} ${event.id}`} event={event} onAsk={onAsk} />
              ))}
            </Table>
          )}
          {events.length === 0 && !isFiltered && <NoLeads />}
          {events.length === 0 && isFiltered && (
            <EmptyState
              icon={SearchX}
              title={list.hasNextPage ? 'No match so far' : 'No lead event matches'}
              actions={<Button onClick={() => onFilter({})}>Clear the filters</Button>}
            >
              {describeLeadFilters(filters)}
            </EmptyState>
          )}
        </>
      )}
    </PagedList>
  );
}

function NoLeads() {
  const { data } = useQuery(connectionsQuery);
  return (
    <EmptyState
      icon={Target}
      title="No lead has come in yet"
      actions={
        <InternalLink href="/connections" className={buttonClass('secondary')}>
          View connections
        </InternalLink>
      }
    >
      Leads come from CRM-A or CRM-B. If one of them is connected, the two usual causes are a webhook that is switched
      off in the CRM, and a wrong token. {data && describeDeliveries(data.items)}
    </EmptyState>
  );
}
