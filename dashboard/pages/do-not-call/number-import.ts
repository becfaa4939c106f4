import { useEffect, useRef, useState } from 'react';
import { addDoNotCall, MOST_NUMBERS } from '../../../shared/messages/dashboard/do-not-call.ts';
import { call } from '../../app/browser-session.ts';
import { type Line, numbersOf, textOf } from '../../app/numbers-file.ts';
import { noticeLostRights } from '../../app/query.ts';
import { fileRefusals } from '../../words/do-not-call.ts';
import { refreshDoNotCall } from './do-not-call-query.ts';

export type ImportState =
  | { step: 'choose'; refusal?: string }
  | { step: 'check' | 'add'; done: number; of: number }
  /** Nothing is written yet. */
  | ({ step: 'checked'; good: Line[]; bad: Line[]; added: number; listed: number } & ReadFile)
  | { step: 'ended'; added: number; listed: number; isStopped: boolean };

/** A file with the column that its numbers are read from. */
type ReadFile = { file: File; columns: string[]; column: number; isChosen: boolean };

const LONGEST_NUMBER = 40;
const MOST_BYTES = 5 * 1024 * 1024;

/** Checks the numbers of a file, then adds them, in requests of a thousand; each is safe to repeat. */
export function useNumberImport() {
  const [state, setState] = useState<ImportState>({ step: 'choose' });
  const [failure, setFailure] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  /** @returns whether all requests were sent */
  async function inParts(step: 'check' | 'add', lines: readonly Line[], took: (part: PartResult) => void) {
    const control = new AbortController();
    running.current = control;
    setFailure(undefined);
    for (let start = 0; start < lines.length && !control.signal.aborted; start += MOST_NUMBERS) {
      setState({ step, done: start, of: lines.length });
      const part = lines.slice(start, start + MOST_NUMBERS);
      const phones = part.map(({ text }) => text);
      // Not ended by a stop: what a request has begun to add is reported.
      const answer = await call(addDoNotCall, { body: { phones, check: step === 'check' } });
      took({ ...answer, part });
    }
    return !control.signal.aborted;
  }

  async function check(file: File, chosen?: number): Promise<void> {
    if (file.size > MOST_BYTES) return setState({ step: 'choose', refusal: 'The file has more than 5 MB. Split it.' });
    const read = numbersOf(textOf(new Uint8Array(await file.arrayBuffer())), chosen);
    if (read.kind === 'refused') return setState({ step: 'choose', refusal: fileRefusals[read.reason] });
    if (read.lines.length === 0) return setState({ step: 'choose', refusal: 'The file has no numbers.' });
    const { columns, column } = read;
    const bad = read.lines.filter(({ text }) => text.length > LONGEST_NUMBER);
    const good: Line[] = [];
    let [added, listed] = [0, 0];
    try {
      const isAll = await inParts(
        'check',
        // The same text again is the same number.
        [...new Map(read.lines.toReversed().map((line) => [line.text, line])).values()]
          .filter(({ text }) => text.length <= LONGEST_NUMBER)
          .sort((one, other) => one.line - other.line),
        (result) => {
          const wrong = new Set(result.wrong);
          for (const [position, line] of result.part.entries()) (wrong.has(position) ? bad : good).push(line);
          added += result.added;
          listed += result.listed;
        },
      );
      if (!isAll) return setState({ step: 'choose' });
      bad.sort((one, other) => one.line - other.line);
      setState({ step: 'checked', good, bad, added, listed, file, columns, column, isChosen: chosen !== undefined });
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
      setState({ step: 'choose' });
    }
  }

  async function add(good: readonly Line[]): Promise<void> {
    let [added, listed, isStopped] = [0, 0, true];
    try {
      const isAll = await inParts('add', good, (result) => {
        added += result.added;
        listed += result.listed;
      });
      isStopped = !isAll;
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
    }
    setState({ step: 'ended', added, listed, isStopped });
    await refreshDoNotCall();
  }

  return { state, failure, check, add, stop: () => running.current?.abort() };
}

type PartResult = { added: number; listed: number; wrong: number[]; part: readonly Line[] };
