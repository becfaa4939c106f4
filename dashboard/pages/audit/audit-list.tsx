import { useInfiniteQuery } from '@tanstack/react-query';
import { History, SearchX } from 'lucide-react';
import type { AuditFilters } from '../../app/audit-filters.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { MUCH, Table } from '../../parts/table.tsx';
import { auditPages } from './audit-query.ts';
import { AuditRow } from './audit-row.tsx';

type Props = { filters: AuditFilters; show: (filters: AuditFilters) => void };

export function AuditList({ filters, show }: Props) {
  const list = useInfiniteQuery(auditPages(filters));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PagedList list={list} what="the audit log" isFiltered={isFiltered}>
      {(entries, isOld) => (
        <>
          {entries.length > 0 && (
            <Table
              caption="Changes, the newest first"
              columns={['When', 'What', 'Before and after']}
              cardsBelow={MUCH}
              isOld={isOld}
            >
              {entries.map((entry) => (
                <AuditRow key={entry.entry} entry={entry} onThing={(thing) => show({ ...filters, thing })} />
              ))}
            </Table>
          )}
          {entries.length === 0 && !isFiltered && (
            <Empty icon={History} title="Nothing was changed yet">
              As soon as somebody is invited, or a role or a profile is changed, it shows here.
            </Empty>
          )}
          {entries.length === 0 && isFiltered && (
            <Empty
              icon={SearchX}
              title={list.hasNextPage ? 'Nothing matches so far' : 'No change matches these filters'}
              actions={<Button onClick={() => show({})}>Clear the filters</Button>}
            />
          )}
        </>
      )}
    </PagedList>
  );
}
