import { type ReactNode, useState } from 'react';
import { noticeLostRights } from '../app/query.ts';
import { Button, type ButtonLook } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Actions } from './form.tsx';

type Props = {
  title: string;
  /** The consequence. */
  lead: string;
  /** What the button does, as its label. */
  deed: string;
  look?: ButtonLook;
  /** Does it, then closes the dialog; what it throws is shown. */
  act: () => Promise<unknown>;
  close: () => void;
  children?: ReactNode;
};

/** Asks once, and names the consequence. */
export function ConfirmDialog({ title, lead, deed, look = 'danger', act, close, children }: Props) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog isOpen close={close} title={title} lead={lead}>
      {failure !== undefined && <Failure error={failure} />}
      {children}
      <Actions>
        <Button look={look} isBusy={isBusy} onClick={confirm}>
          {deed}
        </Button>
        <Button data-back onClick={close}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
