import { type KnowledgeView, removeKnowledge } from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { focusHeading } from '../../components/layout/page.tsx';
import { toast } from '../../components/message/toasts.ts';
import { refreshAssistant } from './assistant-query.ts';

type Props = { id: string; entry: KnowledgeView; onClose: () => void };

export function RemoveKnowledgeDialog({ id, entry, onClose }: Props) {
  const remove = async () => {
    await callApi(removeKnowledge, { params: { id, entryId: entry.id } }).catch((error: unknown) => {
      // A repeat or another person has removed it already.
      if (!(error instanceof ApiError) || error.code !== 'entry_not_found') throw error;
    });
    toast(`${entry.filename} is removed.`);
    onClose();
    await refreshAssistant(id);
    // The button that opened this disappeared with its row.
    focusHeading();
  };
  return (
    <ConfirmDialog
      title={`Remove ${entry.filename}?`}
      lead="The next call no longer uses it. Its text is deleted; to restore it, add the file again."
      action="Remove the file"
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
