import { useInfiniteQuery } from '@tanstack/react-query';
import { Phone, SearchX } from 'lucide-react';
import type { CallRow as Row } from '../../../shared/messages/dashboard/calls.ts';
import { type CallFilters, withoutTab } from '../../app/url/call-filters.ts';
import { Button, buttonClass } from '../../components/button/button.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describeCallFilters, scheduledSearchWords } from '../../words/calls/call-filters.ts';
import { assistantsQuery } from '../assistants/assistants-query.ts';
import { CurlCommand } from '../keys/curl-command.tsx';
import { CallRow } from './call-row.tsx';
import { callPages } from './calls-query.ts';

const COLUMNS = ['Placed', 'Phone', 'Assistant', 'Source', 'Status', 'Length', 'Credits', 'Result', 'Callback'];

type Props = { filters: CallFilters; onFilter: (filters: CallFilters) => void };

export function CallsList({ filters, onFilter }: Props) {
  const list = useInfiniteQuery(callPages(filters));
  const { phase } = filters;
  const isFiltered = Object.keys(withoutTab(filters)).length > 0;
  return (
    <PagedList
      list={list}
      noun="the calls"
      isFiltered={isFiltered}
      search={phase === 'scheduled' ? scheduledSearchWords : undefined}
    >
      {(calls, isPlaceholderData) => (
        <>
          {calls.length > 0 && <Rows calls={calls} isPlaceholderData={isPlaceholderData} />}
          {calls.length === 0 &&
            !isFiltered &&
            (phase ? <EmptyPhase phase={phase} isEnd={!list.hasNextPage} /> : <NoCall />)}
          {calls.length === 0 && isFiltered && (
            <NoMatch filters={filters} onFilter={onFilter} isEnd={!list.hasNextPage} />
          )}
        </>
      )}
    </PagedList>
  );
}

const Rows = ({ calls, isPlaceholderData }: { calls: readonly Row[]; isPlaceholderData: boolean }) => (
  <Table caption="List of calls" columns={COLUMNS} isDense cardsBelow={WIDE_PX} isPlaceholderData={isPlaceholderData}>
    {calls.map((call) => (
      <CallRow key={call.id} call={call} />
    ))}
  </Table>
);

function NoMatch({ filters, onFilter, isEnd }: Props & { isEnd: boolean }) {
  const { phase, assistant } = filters;
  const { data } = useInfiniteQuery(assistantsQuery);
  const chosen = data?.pages.flatMap(({ items }) => items).find(({ assistant_id }) => assistant_id === assistant);
  return (
    <EmptyState
      icon={SearchX}
      title={isEnd ? 'No call matches' : 'No match so far'}
      actions={<Button onClick={() => onFilter(phase ? { phase } : {})}>Clear the filters</Button>}
    >
      {describeCallFilters(filters, chosen?.name)}
    </EmptyState>
  );
}

const EmptyPhase = ({ phase, isEnd }: { phase: NonNullable<CallFilters['phase']>; isEnd: boolean }) => (
  <EmptyState
    icon={Phone}
    title={!isEnd ? 'No call found so far' : phase === 'live' ? 'No call is live' : 'No call is scheduled'}
  >
    {phase === 'live'
      ? 'Calls appear here from the moment they wait for a line until they end.'
      : 'If a lead arrives outside the calling hours of its connection, its call waits here until they begin.'}
  </EmptyState>
);

const NoCall = () => (
  <EmptyState
    icon={Phone}
    title="No call yet"
    actions={
      <>
        <InternalLink href="/assistants" className={buttonClass('secondary')}>
          Let an assistant call you
        </InternalLink>
        <InternalLink href="/connections" className={buttonClass('secondary')}>
          Connect a CRM
        </InternalLink>
      </>
    }
  >
    Calls come from the leads of a connected CRM, or from your own system with an API key:
    <CurlCommand apiKey="$KEY" permissions={['calls:write']} />
  </EmptyState>
);
