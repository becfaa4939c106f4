import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import type { AuditFilters } from '../../app/filters.ts';
import { useMe } from '../../app/me.ts';
import { refusal, whomToAsk } from '../../app/rights.ts';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { AuditExport } from './audit-export.tsx';
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
      actions={<AuditExport filters={filters} reason={reason} />}
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
