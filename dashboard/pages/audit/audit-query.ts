import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { type AuditFilters, auditQuery } from '../../app/audit-filters.ts';
import { call } from '../../app/browser-session.ts';

/** Pages of the audit log, newest first. The rows of the filters before stay until new ones are there. */
export const auditPages = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      call(listAuditEntries, { query: { ...auditQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
