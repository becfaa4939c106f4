import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { call } from '../../app/browser-session.ts';
import { collect, MOST_ROWS } from '../../app/collect.ts';
import { download } from '../../app/download.ts';
import { type AuditFilters, auditQuery } from '../../app/filters.ts';
import { Button } from '../../parts/button.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { toast } from '../../parts/toasts.ts';
import { auditCsv } from '../../words/audit-csv.ts';
import { wordsFor } from '../../words/errors.ts';
import styles from './audit.module.css';

type Props = { filters: AuditFilters; reason: string | undefined };

/** Writes exactly the filtered entries into a CSV file, here in the browser. */
export function AuditExport({ filters, reason }: Props) {
  const [rows, setRows] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const control = new AbortController();
    running.current = control;
    setRows(0);
    try {
      const load = (next: string | undefined) =>
        call(listAuditEntries, { query: { ...auditQuery(filters), limit: '200', next }, signal: control.signal });
      const all = await collect(load, control.signal, setRows);
      download('audit-log.csv', auditCsv(all.rows));
      const count = all.rows.length.toLocaleString('en-IN');
      toast(
        all.isCut
          ? `The file has the newest ${count} entries. Narrow the dates for the others.`
          : `${count} ${all.rows.length === 1 ? 'entry' : 'entries'} exported.`,
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
          {rows.toLocaleString('en-IN')} of at most {MOST_ROWS.toLocaleString('en-IN')} entries read
        </span>
        <Button onClick={() => running.current?.abort()}>Stop</Button>
      </>
    );
  return (
    <GuardedButton reason={reason} onClick={start}>
      <Download aria-hidden="true" />
      Export CSV
    </GuardedButton>
  );
}
