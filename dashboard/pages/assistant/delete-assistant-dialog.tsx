import { useNavigate } from '@tanstack/react-router';
import { deleteAssistant, type ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { toast } from '../../components/message/toasts.ts';
import { refreshAssistants } from '../assistants/assistants-query.ts';

type Props = { assistant: ShownAssistant; onClose: () => void };

/** Requires typing the name, because deletion cannot be undone. */
export function DeleteAssistantDialog({ assistant: { assistant_id, name, knowledge }, onClose }: Props) {
  const navigate = useNavigate();
  const remove = async () => {
    await callApi(deleteAssistant, { params: { id: assistant_id } });
    toast(`${name} is deleted.`);
    await navigate({ to: '/assistants', ignoreBlocker: true });
    queryClient.removeQueries({ queryKey: ['assistant', assistant_id] });
    await refreshAssistants();
  };
  const files =
    knowledge > 0
      ? ` Its ${knowledge === 1 ? 'knowledge file' : `${knowledge} knowledge files`} will also be deleted.`
      : '';
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      lead={`Waiting calls will not be dialed; those of leads get the assistant of their connection. Past calls are kept.${files} This cannot be undone.`}
      action="Delete the assistant"
      confirmationText={name}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
