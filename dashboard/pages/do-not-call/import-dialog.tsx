import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PlainField, PlainSelect } from '../../parts/field.tsx';
import { Actions } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import styles from './do-not-call.module.css';
import { type ImportState, useNumberImport } from './number-import.ts';

const SHOWN_LINES = 20;
const count = (value: number, one: string, many = `${one}s`) =>
  `${value.toLocaleString('en-IN')} ${value === 1 ? one : many}`;

/** Names the bad lines of a file before anything is written, then adds the others. */
export function ImportDialog({ close }: { close: () => void }) {
  const { state, failure, check, add, stop } = useNumberImport();
  return (
    <Dialog
      isOpen
      close={close}
      title="Import numbers"
      lead="A CSV or text file. If no column is called phone, number or mobile, choose it after the check."
    >
      {failure !== undefined && <Failure error={failure} />}
      {state.step === 'choose' && (
        <>
          {state.refusal && (
            <div role="alert">
              <Notice tone="bad" title={state.refusal}>
                <p>Nothing was added.</p>
              </Notice>
            </div>
          )}
          <PlainField
            label="File"
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            hint="It is checked first. Nothing is added before you say so."
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void check(file);
            }}
          />
        </>
      )}
      {(state.step === 'check' || state.step === 'add') && (
        <div role="status" className={styles.progress}>
          <progress value={state.done} max={state.of} aria-label="Progress" />
          <p>
            {state.done.toLocaleString('en-IN')} of {count(state.of, 'line')}{' '}
            {state.step === 'add' ? 'added' : 'checked'}.
            {state.step === 'add' && ' It is safe to stop: what is in stays, and the same file adds the rest.'}
          </p>
        </div>
      )}
      {state.step === 'checked' && <Checked {...state} read={(column) => check(state.file, column)} />}
      {state.step === 'ended' && (
        <div role="status">
          <Notice tone={state.isStopped ? 'warn' : 'good'} title={`${count(state.added, 'number')} added.`}>
            <p>{state.listed > 0 && `${count(state.listed, 'number')} stood on the list before.`}</p>
            {state.isStopped && <p>The import ended early. The same file adds the rest.</p>}
          </Notice>
        </div>
      )}
      <Actions>
        {state.step === 'checked' && state.good.length > 0 && (
          <Button look="primary" onClick={() => add(state.good)}>
            Import {state.good.length.toLocaleString('en-IN')}
          </Button>
        )}
        {state.step === 'check' || state.step === 'add' ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button data-back onClick={close}>
            {state.step === 'ended' ? 'Done' : 'Cancel'}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

type CheckedProps = Extract<ImportState, { step: 'checked' }> & { read: (column: number) => void };

const Checked = ({ good, bad, added, listed, file, columns, column, isChosen, read }: CheckedProps) => (
  <div role="status" className={styles.checked}>
    {columns.length > 1 && (
      <PlainSelect
        label={`Column of ${file.name}`}
        value={String(column)}
        // It was gone while the column was checked.
        ref={(select) => {
          if (isChosen) select?.focus();
        }}
        onChange={({ target }) => read(Number(target.value))}
      >
        {columns.map((name, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place.
          <option key={at} value={at}>
            {at + 1}: {name.slice(0, SHOWN_LINES * 2) || 'without a name'}
          </option>
        ))}
      </PlainSelect>
    )}
    {good.length === 0 ? (
      <p>There is no phone number in {columns.length > 1 ? 'this column. Choose another one' : 'this file'}.</p>
    ) : (
      <p>
        {count(good.length, 'number')}: {added.toLocaleString('en-IN')} new, {listed.toLocaleString('en-IN')} on the
        list already. Nothing is written yet.
      </p>
    )}
    {bad.length > 0 && (
      <Notice
        tone="warn"
        title={`${count(bad.length, 'line')} without a phone number${good.length > 0 ? ', which will be left out' : ''}`}
      >
        <ul className={styles.lines}>
          {bad.slice(0, SHOWN_LINES).map(({ line, text }) => (
            <li key={line}>
              Line {line}: {text === '' ? 'empty' : <code>{text.slice(0, SHOWN_LINES * 2)}</code>}
            </li>
          ))}
          {bad.length > SHOWN_LINES && <li>and {count(bad.length - SHOWN_LINES, 'more line', 'more lines')}</li>}
        </ul>
      </Notice>
    )}
  </div>
);
