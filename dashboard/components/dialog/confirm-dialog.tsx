import { type ReactNode, useState } from 'react';
import { useAction } from '../../app/query/use-action.ts';
import { isTypedAs } from '../../words/confirmation.ts';
import { Button, type ButtonVariant } from '../button/button.tsx';
import { PlainField } from '../form/field.tsx';
import { DialogActions } from '../form/form.tsx';
import { ErrorNotice } from '../message/error-notice.tsx';
import { Dialog } from './dialog.tsx';

type Props = {
  title: string;
  /** The consequence. */
  lead: string;
  /** The button's label: what it does. */
  action: string;
  variant?: ButtonVariant;
  /** Runs the action and closes the dialog. If it throws, the dialog shows the error. */
  onConfirm: () => Promise<unknown>;
  /** The text to type as confirmation, if the action cannot be undone. */
  confirmationText?: string;
  onClose: () => void;
  children?: ReactNode;
};

/** Asks for confirmation and names the consequence. */
export function ConfirmDialog({
  title,
  lead,
  action,
  variant = 'danger',
  onConfirm,
  confirmationText,
  onClose,
  children,
}: Props) {
  const { run, isBusy, failure } = useAction();
  const [text, setText] = useState('');
  return (
    <Dialog isOpen onClose={onClose} title={title} lead={lead}>
      {failure !== undefined && <ErrorNotice error={failure} />}
      {children}
      {confirmationText !== undefined && (
        <PlainField
          label={`Type “${confirmationText}” to confirm`}
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <DialogActions onClose={onClose}>
        <Button
          variant={variant}
          isBusy={isBusy}
          aria-disabled={confirmationText !== undefined && !isTypedAs(text, confirmationText)}
          onClick={() => run(onConfirm)}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
