import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileUp, PhoneOff } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { addDoNotCall, listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { type NumberSearch, readNumberSearch } from '../../app/number-prefix.ts';
import type { Place } from '../../app/page-route.ts';
import { queryClient } from '../../app/query.ts';
import { refusal } from '../../app/rights.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CsvExport } from '../../parts/csv-export.tsx';
import { PlainField } from '../../parts/field.tsx';
import { Actions } from '../../parts/form.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { Page } from '../../parts/page.tsx';
import { doNotCallCsv } from '../../words/do-not-call.ts';
import { AddNumberDialog } from './add-number-dialog.tsx';
import styles from './do-not-call.module.css';
import { doNotCallPages } from './do-not-call-query.ts';
import { ImportDialog } from './import-dialog.tsx';
import { NumberList } from './number-list.tsx';
import { type ListedNumber, RemoveNumberDialog } from './remove-number-dialog.tsx';

type Open = 'add' | 'import' | ListedNumber | undefined;

export const readAhead = ({ search }: Place<NumberSearch>) => queryClient.prefetchInfiniteQuery(doNotCallPages(search));

/** Numbers that nobody calls. The search is in the address. */
export function DoNotCall() {
  const me = useMe();
  const { prefix } = useSearch({ from: '/shell/do-not-call' });
  const search: NumberSearch = prefix === undefined ? {} : { prefix };
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const reason = refusal(me, addDoNotCall);
  const show = (next: NumberSearch) =>
    navigate({ to: '/do-not-call', search: next, replace: true, resetScroll: false });
  return (
    <Page
      title="Do not call"
      lead="The service never calls these numbers. A new one counts from the next second on."
      actions={
        <>
          <CsvExport
            file="do-not-call.csv"
            what="numbers"
            write={doNotCallCsv}
            load={(next, signal) => call(listDoNotCall, { query: { ...search, limit: '200', next }, signal })}
          />
          <GuardedButton reason={reason} onClick={() => setOpen('import')}>
            <FileUp aria-hidden="true" />
            Import a file
          </GuardedButton>
          <GuardedButton look="primary" reason={reason} onClick={() => setOpen('add')}>
            <PhoneOff aria-hidden="true" />
            Add a number
          </GuardedButton>
        </>
      }
    >
      <Search search={search} show={show} />
      <NumberList search={search} remove={setOpen} clear={() => show({})} />
      {open === 'add' && <AddNumberDialog close={close} />}
      {open === 'import' && <ImportDialog close={close} />}
      {typeof open === 'object' && <RemoveNumberDialog number={open} close={close} />}
    </Page>
  );
}

function Search({ search, show }: { search: NumberSearch; show: (search: NumberSearch) => void }) {
  const [typed, setTyped] = useState(search.prefix ?? '');
  useEffect(() => setTyped(search.prefix ?? ''), [search.prefix]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show(readNumberSearch({ prefix: typed }));
  };
  return (
    <Card>
      <search>
        <form className={styles.search} onSubmit={submit}>
          <PlainField
            label="Search by the beginning of a number"
            hint="Such as 98765 43210. With a plus sign, it begins with its country code."
            type="search"
            inputMode="tel"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Actions>
            <Button type="submit">Search</Button>
            {search.prefix !== undefined && <Button onClick={() => show({})}>Clear</Button>}
          </Actions>
        </form>
      </search>
    </Card>
  );
}
