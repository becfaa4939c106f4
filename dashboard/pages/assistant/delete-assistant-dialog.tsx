import { useNavigate } from '@tanstack/react-router';
import { deleteAssistant, type ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { call } from '../../app/browser-session.ts';
import { queryClient } from '../../app/query.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshAssistants } from '../assistants/assistants-query.ts';

type Props = { assistant: ShownAssistant; close: () => void };

/** Nothing brings a deleted assistant back, so its name is typed. */
export function DeleteAssistantDialog({ assistant: { assistant_id, name, knowledge }, close }: Props) {
  const navigate = useNavigate();
  const remove = async () => {
    await call(deleteAssistant, { params: { id: assistant_id } });
    toast(`${name} is deleted.`);
    await navigate({ to: '/assistants', ignoreBlocker: true });
    queryClient.removeQueries({ queryKey: ['assistant', assistant_id] });
    await refreshAssistants();
  };
  const files = knowledge > 0 ? ` Its ${knowledge === 1 ? 'file' : `${knowledge} files`} of knowledge go with it.` : '';
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      lead={`Calls that still wait for it are not dialed. Calls of before stay.${files} Nothing brings it back.`}
      deed="Delete the assistant"
      typed={name}
      act={remove}
      close={close}
    />
  );
}
