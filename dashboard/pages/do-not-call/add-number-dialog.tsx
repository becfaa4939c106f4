import * as z from 'zod/mini';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormActions } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';
import { toast } from '../../parts/toasts.ts';
import { refreshDoNotCall } from './do-not-call-query.ts';

const schema = z.object({ phone: z.string().check(z.trim(), z.minLength(1), z.maxLength(40)) });

export function AddNumberDialog({ close }: { close: () => void }) {
  const state = useApiForm(schema, { phone: '' }, async ({ phone }) => {
    const { added } = await call(addDoNotCall, { body: { phones: [phone] } }).catch((error: unknown) => {
      // The form has one number, so only that can be wrong.
      const isWrong = error instanceof ApiError && error.code === 'invalid_request';
      throw isWrong ? new ApiError({ status: error.status, code: 'invalid_phone_number' }) : error;
    });
    toast(added === 1 ? 'The number is not called any more.' : 'The number was on the list already.');
    close();
    await refreshDoNotCall();
  });
  return (
    <Dialog isOpen close={close} title="Add a number" lead="It is not called any more, from the next second on.">
      <Form state={state}>
        <TextField
          name="phone"
          label="Phone number"
          type="tel"
          autoComplete="off"
          hint="In any usual form. Without a country code, it is a number of your organization’s region."
        />
        <FormActions deed="Add the number" close={close} />
      </Form>
    </Dialog>
  );
}
