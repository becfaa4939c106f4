import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { listCalls } from '../../../shared/messages/dashboard/calls.ts';
import { call } from '../../app/browser-session.ts';
import { type CallFilters, callsQuery } from '../../app/call-filters.ts';
import { collect, MOST_ROWS } from '../../app/collect.ts';
import { download } from '../../app/download.ts';
import { Button } from '../../parts/button.tsx';
import { toast } from '../../parts/toasts.ts';
import { callsCsv } from '../../words/calls-csv.ts';
import { wordsFor } from '../../words/errors.ts';
import styles from './calls.module.css';

/** Writes exactly the filtered calls into a CSV file, here in the browser. */
export function CallsExport({ filters }: { filters: CallFilters }) {
  const [rows, setRows] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const control = new AbortController();
    running.current = control;
    setRows(0);
    try {
      const load = (next: string | undefined) =>
        call(listCalls, { query: { ...callsQuery(filters), limit: '200', next }, signal: control.signal });
      const all = await collect(load, control.signal, setRows);
      download('calls.csv', callsCsv(all.rows));
      const count = all.rows.length.toLocaleString('en-IN');
      toast(
        all.isCut
          ? `The file has the newest ${count} calls. Narrow the dates for the others.`
          : `${count} ${all.rows.length === 1 ? 'call' : 'calls'} exported.`,
      );
    } catch (error) {
      if (!control.signal.aborted) toast(`Not exported. ${wordsFor(error).sentence} ${wordsFor(error).fix}`);
    } finally {
      setRows(undefined);
    }
  };
  if (rows !== undefined)
    return (
      <>
        <span className={styles.progress} role="status">
          {rows.toLocaleString('en-IN')} of at most {MOST_ROWS.toLocaleString('en-IN')} calls read
        </span>
        <Button onClick={() => running.current?.abort()}>Stop</Button>
      </>
    );
  return (
    <Button onClick={start}>
      <Download aria-hidden="true" />
      Export CSV
    </Button>
  );
}
