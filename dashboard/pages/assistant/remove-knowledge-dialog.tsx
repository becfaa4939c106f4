import { type KnowledgeView, removeKnowledge } from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshAssistant } from './assistant-query.ts';

type Props = { id: string; entry: KnowledgeView; close: () => void };

export function RemoveKnowledgeDialog({ id, entry, close }: Props) {
  const remove = async () => {
    await call(removeKnowledge, { params: { id, entryId: entry.id } }).catch((error: unknown) => {
      // A repeat, or somebody else, has removed it.
      if (!(error instanceof ApiError) || error.code !== 'entry_not_found') throw error;
    });
    toast(`${entry.filename} is removed.`);
    close();
    await refreshAssistant(id);
  };
  return (
    <ConfirmDialog
      title={`Remove ${entry.filename}?`}
      lead="The next call does not know it any more. Its text is deleted; add the file again to bring it back."
      deed="Remove the file"
      act={remove}
      close={close}
    />
  );
}
