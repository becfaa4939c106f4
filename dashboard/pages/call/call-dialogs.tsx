import { stopCall } from '../../../shared/messages/dashboard/call-actions.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { focusHeading } from '../../components/layout/page.tsx';
import { toast } from '../../components/message/toasts.ts';
import { describeStop } from '../../words/calls/call-page.ts';
import { formatPhone } from '../../words/calls/calls.ts';
import { refreshCall } from './call-query.ts';

type Props = { call: ShownCall; onClose: () => void };

export function StopDialog({ call, onClose }: Props) {
  const stop = async () => {
    const { state } = await callApi(stopCall, { params: { id: call.id } });
    toast(state === 'canceled' ? 'The call is canceled.' : 'The voice platform is ending the call.');
    onClose();
    await refreshCall(call.id);
    // The button that opened this disappears with the end of the call.
    focusHeading();
  };
  return (
    <ConfirmDialog
      title="Stop this call?"
      lead={describeStop(call)}
      action="Stop the call"
      onConfirm={stop}
      onClose={onClose}
    />
  );
}

export function ListNumberDialog({ call, onClose }: Props) {
  const list = async () => {
    await callApi(addDoNotCall, { body: { phones: [call.phone_number] } });
    toast('The number will no longer be called.');
    onClose();
    await Promise.all([refreshCall(call.id), queryClient.invalidateQueries({ queryKey: ['do-not-call'] })]);
  };
  return (
    <ConfirmDialog
      title={`Never call ${formatPhone(call.phone_number)} again?`}
      lead="The number is added to the do-not-call list. From the next second on, your organization does not call it."
      action="Add it to the list"
      onConfirm={list}
      onClose={onClose}
    />
  );
}
