import { useState } from 'react';
import { type KnowledgeView, removeKnowledge } from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { noticeLostRights } from '../../app/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Actions } from '../../parts/form.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshAssistant } from './assistant-query.ts';

type Props = { id: string; entry: KnowledgeView; close: () => void };

export function RemoveKnowledgeDialog({ id, entry, close }: Props) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const remove = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await call(removeKnowledge, { params: { id, entryId: entry.id } }).catch((error: unknown) => {
        // A repeat, or somebody else, has removed it.
        if (!(error instanceof ApiError) || error.code !== 'entry_not_found') throw error;
      });
      toast(`${entry.filename} is removed.`);
      close();
      await refreshAssistant(id);
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      close={close}
      title={`Remove ${entry.filename}?`}
      lead="The next call does not know it any more. Its text is deleted; add the file again to bring it back."
    >
      {failure !== undefined && <Failure error={failure} />}
      <Actions>
        <Button look="danger" isBusy={isBusy} onClick={remove}>
          Remove the file
        </Button>
        <Button data-back onClick={close}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
