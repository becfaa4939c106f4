import { useQueryClient } from '@tanstack/react-query';
import type { FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { type OrganizationView, updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { renameFields } from '../../app/api/api-error.ts';
import type { Input } from '../../app/api/send.ts';
import { replaceQueryData } from '../../app/query/replace-query-data.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { meQuery } from '../../app/shared-queries/me.ts';
import { useDraft } from '../../components/form/use-draft.ts';
import { toast } from '../../components/message/toasts.ts';
import { organizationQuery } from './organization-query.ts';

type Change = Omit<NonNullable<Input<typeof updateOrganization>['body']>, 'revision'>;

/**
 * Keeps a form for some of the organization's settings. If two people save at once, the second sees the conflict.
 * @param valuesOf returns the settings as people type them
 * @param changesOf returns the changes in the API's form
 */
export function useSettings<Values extends FieldValues>(
  stored: OrganizationView,
  schemaOf: (base: OrganizationView) => z.ZodMiniType<unknown, Values>,
  valuesOf: (org: OrganizationView) => Values,
  changesOf: (base: OrganizationView, values: Values) => Change,
) {
  const client = useQueryClient();
  const { state, base, conflict, reset, reapply } = useDraft<OrganizationView, Values, OrganizationView>(stored, {
    schemaOf,
    valuesOf: valuesOf,
    async save(values, base) {
      const body = { revision: base.revision, ...changesOf(base, values) };
      const saved = await callApi(updateOrganization, { body }).catch((error) => Promise.reject(fieldsByInput(error)));
      await replaceQueryData(organizationQuery.queryKey, saved);
      await client.invalidateQueries({ queryKey: meQuery.queryKey });
      toast('The settings are saved.');
      return saved;
    },
    isChange: (values, org) => Object.keys(changesOf(org, values)).length > 0,
    readStored: () => client.fetchQuery({ ...organizationQuery, staleTime: 0 }),
    conflictOf: (theirs) => theirs,
  });
  return {
    state,
    base,
    /** The settings that another person has saved meanwhile. */
    conflict,
    takeTheirs: () => conflict && reset(conflict),
    keepMine: () => conflict && reapply(conflict),
    discard: () => reset(stored),
  };
}

/** The API names the position in a list of numbers; the form has one field for all of them. */
const fieldsByInput = (error: unknown): unknown => renameFields(error, (path) => path.split('.')[0] ?? path);
