import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteAssistant, type ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { call } from '../../app/browser-session.ts';
import { noticeLostRights, queryClient } from '../../app/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PlainField } from '../../parts/field.tsx';
import { Actions } from '../../parts/form.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshAssistants } from '../assistants/assistants-query.ts';

type Props = { assistant: ShownAssistant; close: () => void };

/** Nothing brings a deleted assistant back, so its name is typed. */
export function DeleteAssistantDialog({ assistant: { assistant_id, name, knowledge }, close }: Props) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const remove = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await call(deleteAssistant, { params: { id: assistant_id } });
      toast(`${name} is deleted.`);
      await navigate({ to: '/assistants', ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ['assistant', assistant_id] });
      await refreshAssistants();
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
      setBusy(false);
    }
  };
  const files = knowledge > 0 ? ` Its ${knowledge === 1 ? 'file' : `${knowledge} files`} of knowledge go with it.` : '';
  return (
    <Dialog
      isOpen
      close={close}
      title={`Delete ${name}?`}
      lead={`Calls that still wait for it are not dialed. Calls of before stay.${files} Nothing brings it back.`}
    >
      {failure !== undefined && <Failure error={failure} />}
      <PlainField
        label={`Type ${name} to confirm`}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      <Actions>
        <Button look="danger" isBusy={isBusy} aria-disabled={typed.trim() !== name.trim()} onClick={remove}>
          Delete the assistant
        </Button>
        <Button data-back onClick={close}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
