import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { CallFilters } from '../../app/call-filters.ts';
import { Page } from '../../parts/page.tsx';
import { CallsExport } from './calls-export.tsx';
import { CallsFilterBar } from './calls-filter-bar.tsx';
import { CallsList } from './calls-list.tsx';

/** Every call, the newest first. The filters are in the address, so that a view can be shared. */
export function Calls() {
  const search = useSearch({ from: '/shell/calls' });
  const navigate = useNavigate();
  // One object for equal filters, so that a render is no reason to read again.
  const key = JSON.stringify(search);
  const filters = useMemo<CallFilters>(() => JSON.parse(key), [key]);
  const show = (next: CallFilters) => navigate({ to: '/calls', search: next, replace: true, resetScroll: false });
  return (
    <Page
      title="Calls"
      lead="Every call, the newest first. Rows change by themselves while a call lives."
      actions={<CallsExport filters={filters} />}
    >
      <CallsFilterBar filters={filters} show={show} />
      <CallsList filters={filters} show={show} />
    </Page>
  );
}
