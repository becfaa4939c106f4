import { type NumberView, removeDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { focusHeading } from '../../components/layout/page.tsx';
import { toast } from '../../components/message/toasts.ts';
import { formatPhone } from '../../words/calls/calls.ts';
import { refreshDoNotCall } from './do-not-call-query.ts';

/** An entry whose number is known, which removal requires. */
export type ListedNumber = NumberView & { phone: string };

type Props = { number: ListedNumber; onClose: () => void };

export function RemoveNumberDialog({ number: { phone, call_id }, onClose }: Props) {
  const state = useApiForm(removeDoNotCall.request, { reason: '' }, async (body) => {
    await callApi(removeDoNotCall, { params: { phone: phone.slice(1) }, body });
    toast(`${formatPhone(phone)} may be called again.`);
    onClose();
    await refreshDoNotCall();
    // The button that opened this disappeared with its row.
    focusHeading();
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Remove ${formatPhone(phone)}?`}
      lead={`The number may be called again.${call_id === null ? '' : ' The person had asked not to be called.'}`}
    >
      <Form state={state}>
        <TextField name="reason" label="Reason" hint="It is recorded in the audit log." autoComplete="off" />
        <FormActions action="Remove the number" variant="danger" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
