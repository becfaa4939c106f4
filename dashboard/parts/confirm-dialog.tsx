import { type ReactNode, useState } from 'react';
import { useAct } from '../app/act.ts';
import { Button, type ButtonLook } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { PlainField } from './field.tsx';
import { DialogActions } from './form.tsx';

type Props = {
  title: string;
  /** The consequence. */
  lead: string;
  /** What the button does, as its label. */
  deed: string;
  look?: ButtonLook;
  /** Does it, then closes the dialog; what it throws is shown. */
  act: () => Promise<unknown>;
  /** What is typed to confirm it, where nothing brings back what is lost. */
  typed?: string;
  close: () => void;
  children?: ReactNode;
};

/** Asks once, and names the consequence. */
export function ConfirmDialog({ title, lead, deed, look = 'danger', act: confirm, typed, close, children }: Props) {
  const { act, isBusy, failure } = useAct();
  const [text, setText] = useState('');
  return (
    <Dialog isOpen close={close} title={title} lead={lead}>
      {failure !== undefined && <Failure error={failure} />}
      {children}
      {typed !== undefined && (
        <PlainField
          label={`Type “${typed}” to confirm`}
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <DialogActions close={close}>
        <Button
          look={look}
          isBusy={isBusy}
          aria-disabled={typed !== undefined && text.trim() !== typed.trim()}
          onClick={() => act(confirm)}
        >
          {deed}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
