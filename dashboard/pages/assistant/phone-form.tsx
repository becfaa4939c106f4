import * as z from 'zod/mini';
import { updateMe } from '../../../shared/messages/dashboard/people.ts';
import { replaceQueryData } from '../../app/query/replace-query-data.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { meQuery } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Actions, Form } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';

const schema = z.object({ phone: z.string().check(z.trim(), z.minLength(1), z.maxLength(40)) });

/** Requests the number for test calls once, and stores it in the person's profile. */
export function PhoneForm() {
  const state = useApiForm(schema, { phone: '' }, async ({ phone }) => {
    await replaceQueryData(meQuery.queryKey, await callApi(updateMe, { body: { phone } }));
  });
  return (
    <Form state={state}>
      <TextField
        name="phone"
        label="Your phone number"
        type="tel"
        autoComplete="tel"
        hint="It is saved in your account for test calls."
      />
      <Actions>
        <Button type="submit" isBusy={state.form.formState.isSubmitting}>
          Use this number
        </Button>
      </Actions>
    </Form>
  );
}
