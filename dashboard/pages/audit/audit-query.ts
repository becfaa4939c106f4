import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type AuditFilters, auditQuery } from '../../app/url/audit-filters.ts';

/** Reads pages of the audit log, newest first. The previous rows stay until those for the new filters are loaded. */
export const auditPages = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      callApi(listAuditEntries, { query: { ...auditQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
