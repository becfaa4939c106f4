import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { MAX_ROWS } from '../../app/files/max-rows.ts';
import { Button } from '../button/button.tsx';
import { GuardedButton } from '../button/guarded-button.tsx';
import { toast, toastFailure } from '../message/toasts.ts';

type Props<Item> = {
  /** Reads one page of 200 rows. */
  load: (next: string | undefined, signal: AbortSignal) => Promise<{ items: readonly Item[]; next: string | null }>;
  file: string;
  write: (rows: readonly Item[]) => string;
  /** The noun for the rows, in the plural. */
  noun: string;
  /** Why the person may not export; undefined if they may. */
  disabledReason?: string | undefined;
};

/** Exports the rows of a list as a CSV file, in the browser. */
export function CsvExport<Item>({ load, file, write, noun, disabledReason }: Props<Item>) {
  const [rows, setRows] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const control = new AbortController();
    running.current = control;
    setRows(0);
    try {
      // Loaded on click, because few visits export a list.
      const { exportRows } = await import('../../app/files/export-rows.ts');
      const pages = (next: string | undefined) => load(next, control.signal);
      const all = await exportRows({ load: pages, file, write }, control.signal, setRows);
      const count = all.count.toLocaleString('en-IN');
      toast(all.isCut ? `The file has the first ${count} ${noun}; there are more.` : `${count} ${noun} exported.`);
    } catch (error) {
      if (!control.signal.aborted) toastFailure('Not exported.', error);
    } finally {
      setRows(undefined);
    }
  };
  if (rows === undefined)
    return (
      <GuardedButton disabledReason={disabledReason} onClick={start}>
        <Download aria-hidden="true" />
        Export CSV
      </GuardedButton>
    );
  return (
    <>
      <span role="status">
        {rows.toLocaleString('en-IN')} of at most {MAX_ROWS.toLocaleString('en-IN')} {noun} read
      </span>
      <Button onClick={() => running.current?.abort()}>Stop</Button>
    </>
  );
}
