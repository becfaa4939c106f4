import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileUp, PhoneOff } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { addDoNotCall, listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { type NumberSearch, readNumberSearch } from '../../app/url/number-prefix.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PlainField } from '../../components/form/field.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { CsvExport } from '../../components/list/csv-export.tsx';
import { doNotCallCsv } from '../../words/organization/do-not-call.ts';
import { AddNumberDialog } from './add-number-dialog.tsx';
import styles from './do-not-call.module.css';
import { doNotCallPages } from './do-not-call-query.ts';
import { ImportDialog } from './import-dialog.tsx';
import { NumberList } from './number-list.tsx';
import { type ListedNumber, RemoveNumberDialog } from './remove-number-dialog.tsx';

type Open = 'add' | 'import' | ListedNumber | undefined;

export const prefetch = ({ search }: LinkTarget<NumberSearch>) =>
  queryClient.prefetchInfiniteQuery(doNotCallPages(search));

/** Numbers that are never called. The search is in the address. */
export function DoNotCall() {
  const me = useMe();
  const { prefix } = useSearch({ from: '/shell/do-not-call' });
  const search: NumberSearch = prefix === undefined ? {} : { prefix };
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const reason = deniedReason(me, addDoNotCall);
  const show = (next: NumberSearch) =>
    navigate({ to: '/do-not-call', search: next, replace: true, resetScroll: false });
  return (
    <Page
      title="Do not call"
      lead="The service never calls these numbers. A new number takes effect within a second."
      actions={
        <>
          <CsvExport
            file="do-not-call.csv"
            noun="numbers"
            write={doNotCallCsv}
            load={(next, signal) => callApi(listDoNotCall, { query: { ...search, limit: '200', next }, signal })}
          />
          <GuardedButton disabledReason={reason} onClick={() => setOpen('import')}>
            <FileUp aria-hidden="true" />
            Import a file
          </GuardedButton>
          <GuardedButton variant="primary" disabledReason={reason} onClick={() => setOpen('add')}>
            <PhoneOff aria-hidden="true" />
            Add a number
          </GuardedButton>
        </>
      }
    >
      <Search search={search} onSearch={show} />
      <NumberList search={search} onRemove={setOpen} onClear={() => show({})} />
      {open === 'add' && <AddNumberDialog onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} />}
      {typeof open === 'object' && <RemoveNumberDialog number={open} onClose={close} />}
    </Page>
  );
}

function Search({ search, onSearch }: { search: NumberSearch; onSearch: (search: NumberSearch) => void }) {
  const [typed, setTyped] = useState(search.prefix ?? '');
  const [error, setError] = useState<string>();
  useEffect(() => {
    setTyped(search.prefix ?? '');
    setError(undefined);
  }, [search.prefix]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = readNumberSearch({ prefix: typed });
    const isWrong = next.prefix === undefined && typed.trim() !== '';
    setError(isWrong ? 'Enter the digits of a number, 15 at most.' : undefined);
    if (isWrong) event.currentTarget.querySelector('input')?.focus();
    else onSearch(next);
  };
  return (
    <Card>
      <search>
        <form className={styles.search} onSubmit={submit}>
          <PlainField
            label="Search by the beginning of a number"
            hint="For example 98765 43210, or +91 98765 43210 with the country code."
            type="search"
            inputMode="tel"
            value={typed}
            error={error}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Actions>
            <Button type="submit">Search</Button>
            {search.prefix !== undefined && <Button onClick={() => onSearch({})}>Clear</Button>}
          </Actions>
        </form>
      </search>
    </Card>
  );
}
