import { useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { updateMe } from '../../../shared/messages/dashboard/people.ts';
import { call } from '../../app/browser-session.ts';
import { meQuery } from '../../app/me.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Actions, Form } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';

const schema = z.object({ phone: z.string().check(z.trim(), z.minLength(1), z.maxLength(40)) });

/** Asks for the number that test calls ring, once, and keeps it in the person's profile. */
export function OwnPhone() {
  const client = useQueryClient();
  const state = useApiForm(schema, { phone: '' }, async ({ phone }) => {
    client.setQueryData(meQuery.queryKey, await call(updateMe, { body: { phone } }));
  });
  return (
    <Form state={state}>
      <TextField
        name="phone"
        label="Your phone number"
        type="tel"
        autoComplete="tel"
        hint="It is kept under Account, for your test calls."
      />
      <Actions>
        <Button type="submit" isBusy={state.form.formState.isSubmitting}>
          Use this number
        </Button>
      </Actions>
    </Form>
  );
}
