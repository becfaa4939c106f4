import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DefaultValues, FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { type OrganizationView, updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { meQuery } from '../../app/me.ts';
import type { Input } from '../../app/send.ts';
import { useApiForm } from '../../parts/form-state.ts';
import { toast } from '../../parts/toasts.ts';
import { organizationQuery } from './organization-query.ts';

type Change = Omit<NonNullable<Input<typeof updateOrganization>['body']>, 'revision'>;

/**
 * A form of some of the organization's settings. Of two people who save at once, the second is told.
 * @param typed the settings as people type them. @param wanted what is to change, as the API takes it
 */
export function useSettings<Values extends FieldValues>(
  org: OrganizationView,
  schema: z.ZodMiniType<unknown, Values>,
  typed: DefaultValues<Values>,
  wanted: (values: Values) => Change,
) {
  const client = useQueryClient();
  const [conflict, setConflict] = useState<string>();
  const save = async (revision: number) => {
    const body = { revision, ...wanted(state.form.getValues()) };
    const saved = await call(updateOrganization, { body });
    client.setQueryData(organizationQuery.queryKey, saved);
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    toast('The settings are saved.');
  };
  const state = useApiForm(schema, typed, async () => {
    setConflict(undefined);
    try {
      await save(org.revision);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw fieldsByInput(error);
      setConflict(error.message);
    }
  });
  return {
    state,
    /** Who was first, as a sentence. */
    conflict,
    showTheirs: () => client.invalidateQueries({ queryKey: organizationQuery.queryKey }),
    async overwrite() {
      const stored = await client.fetchQuery({ ...organizationQuery, staleTime: 0 });
      setConflict(undefined);
      await save(stored.revision).catch(state.setFailure);
    },
  };
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
