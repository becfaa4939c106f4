import { numberColumns } from '../../../shared/domain/text/number-columns.ts';
import { Button } from '../../components/button/button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { PlainField, PlainSelect } from '../../components/form/field.tsx';
import { Actions } from '../../components/form/form.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { describeAdditions } from '../../words/organization/do-not-call.ts';
import { pluralize } from '../../words/overview/overview.ts';
import styles from './do-not-call.module.css';
import { type ImportState, useNumberImport } from './number-import.ts';

const MAX_CHARACTERS = 40;

/** Names a file's invalid lines before anything is written, then adds the other numbers. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { state, failure, open, check, add, stop } = useNumberImport();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Import numbers"
      lead={`A CSV or text file. Name its column of numbers ${numberColumns}, or choose the column after the check.`}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      {state.step === 'choose' && (
        <>
          {state.refusal && (
            <div role="alert">
              <Notice tone="bad" title={state.refusal}>
                <p>Nothing was added.</p>
              </Notice>
            </div>
          )}
          {state.columns && <ColumnSelect columns={state.columns} onChoose={check} />}
          <FileField onChoose={open} />
        </>
      )}
      {(state.step === 'check' || state.step === 'add') && (
        <div role="status" className={styles.progress}>
          <progress value={state.done} max={state.of} aria-label="Progress" />
          <p>
            {state.done.toLocaleString('en-IN')} of {pluralize(state.of, 'line', 'lines')}{' '}
            {state.step === 'add' ? 'added' : 'checked'}.
            {state.step === 'add' &&
              ' You can stop safely: added numbers stay, and importing the file again adds the rest.'}
          </p>
        </div>
      )}
      {state.step === 'checked' && <CheckResult {...state} onChoose={check} />}
      {state.step === 'checked' && state.fresh.length === 0 && <FileField label="Another file" onChoose={open} />}
      {state.step === 'ended' && (
        <div role="status">
          <Notice tone={state.isStopped ? 'warn' : 'good'} title={describeAdditions(state)}>
            <p>{state.listed > 0 && `${pluralize(state.listed, 'number', 'numbers')} already on the list.`}</p>
            {state.isStopped && <p>The import ended early. Import the file again to add the rest.</p>}
          </Notice>
        </div>
      )}
      <Actions>
        {state.step === 'checked' && state.fresh.length > 0 && (
          <Button variant="primary" onClick={() => add(state.fresh)}>
            Import {state.fresh.length.toLocaleString('en-IN')}
          </Button>
        )}
        {state.step === 'check' || state.step === 'add' ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button data-back onClick={onClose}>
            {state.step === 'ended' ? 'Done' : 'Cancel'}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

const FileField = ({ label = 'File', onChoose }: { label?: string; onChoose: (file: File) => Promise<void> }) => (
  <PlainField
    label={label}
    type="file"
    accept=".csv,.txt,text/csv,text/plain"
    hint="It is checked first. Nothing is added until you confirm."
    onChange={({ target }) => {
      const [file] = target.files ?? [];
      if (file) void onChoose(file);
      // Otherwise, choosing a corrected file of the same name would fire no change event.
      target.value = '';
    }}
  />
);

type Choose = { onChoose: (column: number) => Promise<void> };

const CheckResult = ({
  fresh,
  bad,
  listed,
  repeated,
  columns,
  column,
  isChosen,
  onChoose,
}: Extract<ImportState, { step: 'checked' }> & Choose) => (
  <div className={styles.checked}>
    {columns.length > 1 && <ColumnSelect columns={columns} column={column} isChosen={isChosen} onChoose={onChoose} />}
    <p role="status">
      {fresh.length + listed === 0
        ? `There is no phone number in ${columns.length > 1 ? 'this column. Choose another one' : 'this file'}.`
        : `${pluralize(fresh.length + listed, 'number', 'numbers')}: ${fresh.length.toLocaleString('en-IN')} new, ${listed.toLocaleString('en-IN')} on the list already.`}
      {repeated > 0 && ` ${pluralize(repeated, 'line repeats', 'lines repeat')} one of them.`}
      {fresh.length > 0 && ' No number has been added yet.'}
    </p>
    {bad.length > 0 && (
      <Notice
        tone="warn"
        title={`${pluralize(bad.length, 'line', 'lines')} without a phone number${fresh.length > 0 ? ', which will be left out' : ''}`}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard. */}
        <ul className={styles.lines} tabIndex={0} aria-label="Lines without a phone number">
          {bad.map(({ line, text }) => (
            <li key={line}>
              Line {line}: {text === '' ? 'empty' : <code>{text.slice(0, MAX_CHARACTERS)}</code>}
            </li>
          ))}
        </ul>
      </Notice>
    )}
  </div>
);

type ColumnProps = Choose & { columns: readonly string[]; column?: number; isChosen?: boolean };

const ColumnSelect = ({ columns, column, isChosen, onChoose }: ColumnProps) => (
  <PlainSelect
    label="Column with the numbers"
    value={column ?? ''}
    // Restores the focus: the select was removed while the column was checked.
    ref={(select) => {
      if (isChosen) select?.focus();
    }}
    onChange={({ target }) => onChoose(Number(target.value))}
  >
    {column === undefined && <option value="">Choose one</option>}
    {columns.map((name, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position.
      <option key={index} value={index}>
        {index + 1}: {name.slice(0, MAX_CHARACTERS) || 'empty'}
      </option>
    ))}
  </PlainSelect>
);
