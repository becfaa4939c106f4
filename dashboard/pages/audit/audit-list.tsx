import { useInfiniteQuery } from '@tanstack/react-query';
import { History, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import type { AuditFilters } from '../../app/url/audit-filters.ts';
import { Button } from '../../components/button/button.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { auditPages } from './audit-query.ts';
import { AuditRow } from './audit-row.tsx';

type Props = { filters: AuditFilters; onFilter: (filters: AuditFilters) => void };

export function AuditList({ filters, onFilter }: Props) {
  const list = useInfiniteQuery(auditPages(filters));
  // The same function for every row and refresh, which would otherwise render all rows again.
  const showThing = useCallback((thing: string) => onFilter({ ...filters, thing }), [filters, onFilter]);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PagedList list={list} noun="the audit log" isFiltered={isFiltered}>
      {(entries, isPlaceholderData) => (
        <>
          {entries.length > 0 && (
            <Table
              caption="Changes, the newest first"
              columns={['When', 'What', 'Before and after']}
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {entries.map((entry) => (
                <AuditRow key={entry.entry} entry={entry} onThing={showThing} />
              ))}
            </Table>
          )}
          {entries.length === 0 && !isFiltered && (
            <EmptyState icon={History} title="No changes yet">
              Invitations and changes to roles, profiles and settings appear here.
            </EmptyState>
          )}
          {entries.length === 0 && isFiltered && (
            <EmptyState
              icon={SearchX}
              title={list.hasNextPage ? 'No match so far' : 'No change matches these filters'}
              actions={<Button onClick={() => onFilter({})}>Clear the filters</Button>}
            />
          )}
        </>
      )}
    </PagedList>
  );
}
