import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { type AuditFilters, auditQuery } from '../../app/audit-filters.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { refusal, whomToAsk } from '../../app/rights.ts';
import { CsvExport } from '../../parts/csv-export.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { auditCsv } from '../../words/audit-csv.ts';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { AuditList } from './audit-list.tsx';

/** Who changed what, and when. The filters are in the address, so that a view can be shared. */
export function Audit() {
  const me = useMe();
  const search = useSearch({ from: '/shell/settings/audit' });
  const navigate = useNavigate();
  // One object for equal filters, so that a render is no reason to read again.
  const key = JSON.stringify(search);
  const filters = useMemo<AuditFilters>(() => JSON.parse(key), [key]);
  const show = (next: AuditFilters) =>
    navigate({ to: '/settings/audit', search: next, replace: true, resetScroll: false });
  const reason = refusal(me, listAuditEntries);
  return (
    <Page
      title="Audit log"
      lead="Who changed what, with the values before and after, kept for 400 days."
      actions={
        <CsvExport
          file="audit-log.csv"
          what="entries"
          write={auditCsv}
          reason={reason}
          load={(next, signal) =>
            call(listAuditEntries, { query: { ...auditQuery(filters), limit: '200', next }, signal })
          }
        />
      }
    >
      {reason === undefined ? (
        <>
          <AuditFilterBar filters={filters} show={show} />
          <AuditList filters={filters} show={show} />
        </>
      ) : (
        <Notice tone="info" title="Only admins and owners read the audit log.">
          <p>{whomToAsk(me)}</p>
        </Notice>
      )}
    </Page>
  );
}
