import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { adminsToAsk, deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { type AuditFilters, auditQuery } from '../../app/url/audit-filters.ts';
import { Page } from '../../components/layout/page.tsx';
import { CsvExport } from '../../components/list/csv-export.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { auditCsv } from '../../words/organization/audit-csv.ts';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { AuditList } from './audit-list.tsx';

/** Shows the changes with their authors and times. The filters are in the address, so that a view can be shared. */
export function Audit() {
  const me = useMe();
  const search = useSearch({ from: '/shell/settings/audit' });
  const navigate = useNavigate();
  // Drops the undefined values, which would count as filters, and keeps one object until the address changes.
  const key = JSON.stringify(search);
  const filters = useMemo<AuditFilters>(() => JSON.parse(key), [key]);
  const show = (next: AuditFilters) =>
    navigate({ to: '/settings/audit', search: next, replace: true, resetScroll: false });
  const reason = deniedReason(me, listAuditEntries);
  return (
    <Page
      title="Audit log"
      lead="Who changed what, with the old and new values. Entries are kept for 400 days."
      actions={
        <CsvExport
          file="audit-log.csv"
          noun="entries"
          write={auditCsv}
          disabledReason={reason}
          load={(next, signal) =>
            callApi(listAuditEntries, { query: { ...auditQuery(filters), limit: '200', next }, signal })
          }
        />
      }
    >
      {reason === undefined ? (
        <>
          <AuditFilterBar filters={filters} onFilter={show} />
          <AuditList filters={filters} onFilter={show} />
        </>
      ) : (
        <Notice tone="info" title="Only admins and owners may read the audit log.">
          <p>{adminsToAsk(me)}</p>
        </Notice>
      )}
    </Page>
  );
}
