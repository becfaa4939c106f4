import { useEffect, useRef, useState } from 'react';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { isRejected } from '../../app/api/api-error.ts';
import type { Answer } from '../../app/api/send.ts';
import {
  type CheckedNumbers,
  countNumbers,
  decodeText,
  type Line,
  parseNumbersFile,
} from '../../app/files/numbers-file.ts';
import { refetchRoleIfDenied } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type Additions, fileRefusals } from '../../words/organization/do-not-call.ts';
import { refreshDoNotCall } from './do-not-call-query.ts';
import { sendInBatches } from './send-in-batches.ts';

export type ImportState =
  | { step: 'choose'; refusal?: string; columns?: string[] }
  | { step: 'check' | 'add'; done: number; of: number }
  /** No number is added yet. */
  | ({ step: 'checked'; columns: string[]; column: number; isChosen: boolean } & CheckedNumbers)
  | ({ step: 'ended'; listed: number; isStopped: boolean } & Additions);

const MAX_BYTES = 5 * 1024 * 1024;

/** Checks a file's numbers, then adds them, in requests of a thousand; each can be repeated safely. */
export function useNumberImport() {
  const [state, setState] = useState<ImportState>({ step: 'choose' });
  const [failure, setFailure] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const content = useRef('');
  useEffect(() => () => running.current?.abort(), []);

  /** @returns whether all numbers were sent */
  async function inBatches(step: 'check' | 'add', lines: readonly Line[], onBatch: (answer: BatchResult) => void) {
    const control = new AbortController();
    running.current = control;
    setFailure(undefined);
    return await sendInBatches(lines, control.signal, async (phones, done) => {
      setState({ step, done, of: lines.length });
      // A stop does not abort this request, so that the numbers that it adds are counted.
      onBatch(await callApi(addDoNotCall, { body: { phones, check: step === 'check' } }));
    });
  }

  async function open(file: File): Promise<void> {
    if (file.size > MAX_BYTES) return setState({ step: 'choose', refusal: 'The file has more than 5 MB. Split it.' });
    try {
      content.current = decodeText(new Uint8Array(await file.arrayBuffer()));
    } catch {
      return setState({ step: 'choose', refusal: 'The browser could not read the file. Choose it again.' });
    }
    await check();
  }

  /** @param chosen the column that the person chose, from 0 */
  async function check(chosen?: number): Promise<void> {
    const file = parseNumbersFile(content.current, chosen);
    if (file.kind === 'refused') {
      const columns = file.reason === 'several_columns' ? { columns: file.columns } : {};
      return setState({ step: 'choose', refusal: fileRefusals[file.reason], ...columns });
    }
    if (file.lines.length === 0) return setState({ step: 'choose', refusal: 'The file has no numbers.' });
    const read: NonNullable<BatchResult['numbers']> = [];
    try {
      await inBatches('check', file.lines, ({ numbers = [] }) => read.push(...numbers));
      if (running.current?.signal.aborted) return setState({ step: 'choose' });
      const { columns, column } = file;
      const isChosen = chosen !== undefined;
      setState({ step: 'checked', ...countNumbers(file.lines, read), columns, column, isChosen });
    } catch (error) {
      refetchRoleIfDenied(error);
      setFailure(error);
      setState({ step: 'choose' });
    }
  }

  async function add(fresh: readonly Line[]): Promise<void> {
    let [added, listed, isStopped, isUnsure] = [0, 0, true, false];
    try {
      const isAll = await inBatches('add', fresh, (result) => {
        added += result.added;
        listed += result.listed;
      });
      isStopped = !isAll;
    } catch (error) {
      refetchRoleIfDenied(error);
      setFailure(error);
      isUnsure = !isRejected(error);
    }
    setState({ step: 'ended', added, listed, isStopped, isUnsure });
    await refreshDoNotCall();
  }

  return { state, failure, open, check, add, stop: () => running.current?.abort() };
}

type BatchResult = Answer<typeof addDoNotCall>;
