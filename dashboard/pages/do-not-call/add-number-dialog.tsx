import * as z from 'zod/mini';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { toast } from '../../components/message/toasts.ts';
import { refreshDoNotCall } from './do-not-call-query.ts';

const schema = z.object({ phone: z.string().check(z.trim(), z.minLength(1), z.maxLength(40)) });

export function AddNumberDialog({ onClose }: { onClose: () => void }) {
  const state = useApiForm(schema, { phone: '' }, async ({ phone }) => {
    const { added } = await callApi(addDoNotCall, { body: { phones: [phone] } }).catch((error: unknown) => {
      // The request has one field, so an invalid request is an invalid number.
      const isWrong = error instanceof ApiError && error.code === 'invalid_request';
      throw isWrong ? new ApiError({ status: error.status, code: 'invalid_phone_number' }) : error;
    });
    toast(added === 1 ? 'The number will no longer be called.' : 'The number is already on the list.');
    onClose();
    await refreshDoNotCall();
  });
  return (
    <Dialog isOpen onClose={onClose} title="Add a number" lead="The service stops calling it within a second.">
      <Form state={state}>
        <TextField
          name="phone"
          label="Phone number"
          type="tel"
          autoComplete="off"
          hint="In any usual form. Without a country code, it is a number of your organization’s region."
        />
        <FormActions action="Add the number" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
