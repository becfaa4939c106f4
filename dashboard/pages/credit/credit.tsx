import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { call } from '../../app/browser-session.ts';
import { type DayRange, rangeQuery, readDayRange } from '../../app/day-range.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CsvExport } from '../../parts/csv-export.tsx';
import { PlainField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { creditCsv } from '../../words/credit.ts';
import { Balance } from './balance.tsx';
import styles from './credit.module.css';
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
      <Days range={range} show={show} />
      <CreditLedger range={range} />
    </Page>
  );
}

function Days({ range, show }: { range: DayRange; show: (range: DayRange) => void }) {
  return (
    <Card>
      <form className={styles.days} aria-label="Days" onSubmit={(event) => event.preventDefault()}>
        <PlainField
          label="From (day in India)"
          type="date"
          value={range.from ?? ''}
          max={range.to}
          onChange={(event) => show({ ...range, from: event.target.value })}
        />
        <PlainField
          label="To (day in India)"
          type="date"
          value={range.to ?? ''}
          min={range.from}
          onChange={(event) => show({ ...range, to: event.target.value })}
        />
        {Object.keys(range).length > 0 && <Button onClick={() => show({})}>Show all days</Button>}
      </form>
    </Card>
  );
}
