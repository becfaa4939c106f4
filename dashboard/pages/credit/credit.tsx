import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { call } from '../../app/browser-session.ts';
import { type DayRange, rangeQuery, readDayRange } from '../../app/day-range.ts';
import { CsvExport } from '../../parts/csv-export.tsx';
import { DayFields } from '../../parts/day-fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { creditCsv } from '../../words/credit.ts';
import { Balance } from './balance.tsx';
import { CreditLedger } from './credit-ledger.tsx';
import { CreditPace } from './credit-pace.tsx';

/** What is left, and where it went. The days are in the address. */
export function Credit() {
  const search = useSearch({ from: '/shell/credit' });
  const navigate = useNavigate();
  // One object for equal ranges, so that a render is no reason to read again.
  const key = JSON.stringify(search);
  const range = useMemo<DayRange>(() => JSON.parse(key), [key]);
  const show = (next: DayRange) =>
    navigate({ to: '/credit', search: readDayRange(next), replace: true, resetScroll: false });
  return (
    <Page
      title="Credit"
      lead="What is left, and where it went."
      actions={
        <CsvExport
          file="credit.csv"
          what="entries"
          write={creditCsv}
          load={(next, signal) =>
            call(listCreditEntries, { query: { ...rangeQuery(range), limit: '200', next }, signal })
          }
        />
      }
    >
      <Balance />
      <CreditPace />
      <Filters count={Object.keys(range).length} clear={() => show({})}>
        <DayFields range={range} change={(name, day) => show({ ...range, [name]: day })} />
      </Filters>
      <CreditLedger range={range} />
    </Page>
  );
}
