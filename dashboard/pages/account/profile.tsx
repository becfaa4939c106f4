import { useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { trimmedText } from '../../../shared/domain/text/trimmed-text.ts';
import { type Me, updateMe } from '../../../shared/messages/dashboard/people.ts';
import { replaceQueryData } from '../../app/query/replace-query-data.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { meQuery, useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { UnsavedChangesGuard } from '../../components/dialog/unsaved-changes-guard.tsx';
import { CheckboxField } from '../../components/form/checkbox-field.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Actions, Form } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { rebase, resetForm } from '../../components/form/use-draft.ts';
import { toast } from '../../components/message/toasts.ts';
import { regionName } from '../../words/regions.ts';

const schema = z.object({
  name: trimmedText(100),
  phone: z.string().check(z.maxLength(40)),
  email_notices: z.boolean(),
});

const valuesOf = ({ name, phone, email_notices }: Pick<Me, 'name' | 'phone' | 'email_notices'>) => ({
  name,
  phone: phone ?? '',
  email_notices,
});

/** The name, the phone for test calls, and whether to receive e-mails. */
export function Profile() {
  const me = useMe();
  const client = useQueryClient();
  const state = useApiForm(schema, valuesOf(me), async ({ phone, ...rest }) => {
    const sent = state.form.getValues();
    const saved = await callApi(updateMe, { body: { ...rest, phone: phone.trim() === '' ? null : phone.trim() } });
    await replaceQueryData(meQuery.queryKey, saved);
    resetForm(state.form, valuesOf(saved), rebase(sent, valuesOf(saved), state.form.getValues()));
    await client.invalidateQueries({ queryKey: ['members'] });
    toast('Your profile is saved.');
  });
  const { isDirty, isSubmitting } = state.form.formState;
  return (
    <Form state={state}>
      <TextField
        name="name"
        label="Name"
        autoComplete="name"
        hint="Your colleagues see it in the list of members and at your test calls."
      />
      <TextField
        name="phone"
        label="Phone for test calls"
        type="tel"
        autoComplete="tel"
        hint={`In any usual form. Without a country code, it is read as a number from ${regionName(me.org.default_region)}.`}
      />
      <CheckboxField
        name="email_notices"
        label="E-mails about low credit and broken connections"
        hint="You get them if your organization sends them to your role."
      />
      <Actions>
        <Button variant="primary" type="submit" isBusy={isSubmitting} aria-disabled={!isDirty}>
          Save profile
        </Button>
        {isDirty && <Button onClick={() => state.form.reset()}>Discard</Button>}
      </Actions>
      <UnsavedChangesGuard isDirty={isDirty} />
    </Form>
  );
}
