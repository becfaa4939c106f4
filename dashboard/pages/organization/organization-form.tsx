import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type OrganizationView, updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { meQuery, useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Actions, Form } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { toast } from '../../parts/toasts.ts';
import { limitHints, typedOrganization, typedSchema, wantedOrganization } from '../../words/organization.ts';
import { regionName } from '../../words/regions.ts';
import styles from './organization.module.css';
import { organizationQuery } from './organization-query.ts';

/** The settings that members may change. Two people who change them at once both learn of it. */
export function OrganizationForm({ org }: { org: OrganizationView }) {
  const me = useMe();
  const client = useQueryClient();
  const [conflict, setConflict] = useState<string>();
  const save = async (revision: number) => {
    const body = { revision, ...wantedOrganization(org, state.form.getValues()) };
    const saved = await call(updateOrganization, { body });
    client.setQueryData(organizationQuery.queryKey, saved);
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    toast('The settings are saved.');
  };
  const state = useApiForm(typedSchema, typedOrganization(org), async () => {
    setConflict(undefined);
    try {
      await save(org.revision);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw fieldsByInput(error);
      setConflict(error.message);
    }
  });
  const overwrite = async () => {
    const stored = await client.fetchQuery({ ...organizationQuery, staleTime: 0 });
    setConflict(undefined);
    await save(stored.revision).catch(state.setFailure);
  };
  const { isDirty, isSubmitting } = state.form.formState;
  return (
    <Form state={state}>
      {conflict !== undefined && (
        <Notice
          tone="warn"
          title={conflict}
          action={
            <>
              <Button onClick={() => client.invalidateQueries({ queryKey: organizationQuery.queryKey })}>
                Show theirs
              </Button>
              <Button onClick={overwrite}>Save mine over it</Button>
            </>
          }
        >
          <p>What you typed is still here.</p>
        </Notice>
      )}
      <div className={styles.pairs}>
        <TextField name="name" label="Name" autoComplete="organization" />
        <TextField
          name="default_region"
          label="Country of numbers without a country code"
          hint={`Two letters, such as IN or AE. Now: ${regionName(org.default_region)}.`}
        />
        <TextField
          name="platform_numbers"
          label="Your own numbers"
          hint="Separated by commas, in any usual form. A lead with one of these numbers is not called."
        />
        <TextField
          name="warn_below"
          label="Warn when credit falls below"
          inputMode="decimal"
          hint="Credits. Leave it empty for no warning."
        />
        {limitHints(org.limits).map(({ name, label, hint }) => (
          <TextField key={name} name={name} label={label} inputMode="numeric" hint={hint} />
        ))}
      </div>
      <Actions>
        <GuardedButton
          look="primary"
          type="submit"
          isBusy={isSubmitting}
          aria-disabled={!isDirty}
          reason={refusal(me, updateOrganization)}
        >
          Save settings
        </GuardedButton>
        {isDirty && <Button onClick={() => state.form.reset()}>Discard</Button>}
      </Actions>
    </Form>
  );
}

/** The API names the position in a list of numbers; the form has one field for all. */
function fieldsByInput(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, code, message, requestId, retryAfter, fields } = error;
  return new ApiError({
    status,
    code,
    message,
    fields: fields.map(({ path, message: text }) => ({ path: path.split('.')[0] ?? path, message: text })),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
