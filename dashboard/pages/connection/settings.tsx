import { lazy, Suspense } from 'react';
import * as z from 'zod/mini';
import {
  type ConnectionView,
  type ShownConnection,
  updateConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { UnsavedChangesGuard } from '../../components/dialog/unsaved-changes-guard.tsx';
import { ConflictNotice } from '../../components/form/conflict-notice.tsx';
import { Actions, Form, FormFieldset } from '../../components/form/form.tsx';
import { useDraft } from '../../components/form/use-draft.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { toast } from '../../components/message/toasts.ts';
import { Time } from '../../components/text/time.tsx';
import { missingChoicesWords } from '../../words/connections/connections.ts';
import { describeChanges } from '../../words/organization/changes.ts';
import { connectionQuery, refreshConnections, storeConnection } from '../connections/connections-query.ts';
import { changesOf, type EditValues, hasChanges, validate, valuesOf, withFormFields } from './edit-form.ts';
import { LeadSettings } from './lead-settings.tsx';
import { useChoices } from './use-choices.ts';

/** Loaded separately: its preview includes the code that renders tickets, which CRM pages do not need. */
const HelpDeskSettings = lazy(() =>
  import('./help-desk-settings.tsx').then((part) => ({ default: part.HelpDeskSettings })),
);

type Props = { connection: ConnectionView } & Pick<ShownConnection, 'assistant' | 'events'>;

/** A connection's editable settings in one form. On a conflict, it shows the other editor's changes. */
export function Settings({ connection, assistant, events }: Props) {
  const me = useMe();
  const reason = deniedReason(me, updateConnection);
  const id = connection.connection_id;
  const draft = useDraft<ConnectionView, EditValues, ConnectionView>(connection, {
    schemaOf: schemaFor,
    valuesOf,
    async save(values, from) {
      const { connection: saved, note } = await callApi(updateConnection, {
        params: { id },
        body: changesOf(from, values),
      }).catch((error) => {
        void refreshConnections();
        throw withFormFields(error);
      });
      storeConnection(saved);
      toast(note ?? `Saved. The next ${saved.type === 'help-desk' ? 'ticket' : 'lead'} uses it.`);
      return saved;
    },
    isChange: (values, now) => hasChanges(changesOf(now, values)),
    readStored: async () => (await queryClient.fetchQuery({ ...connectionQuery(id), staleTime: 0 })).connection,
    conflictOf: (theirs) => theirs,
  });
  const { state, base, conflict, reset, reapply } = draft;
  const { form } = state;
  const { isDirty, isSubmitting } = form.formState;
  // A later read may show another change.
  const theirs = conflict && connection.revision > conflict.revision ? connection : conflict;
  const hasCandidate = connection.type === 'crm-a' && connection.trigger_owner_user_id === null;
  const candidate = hasCandidate ? events.find(({ owner_id }) => owner_id !== null)?.owner_id : undefined;
  const choices = useChoices(connection, form.watch('orgId'), reason === undefined);
  return (
    <Card
      title="Settings"
      lead={
        base.updated_by &&
        base.updated_at && (
          <>
            Last changed by {base.updated_by}, <Time at={base.updated_at} />.
          </>
        )
      }
    >
      <Form state={state}>
        {theirs && (
          <ConflictNotice
            thing="connection"
            theirs={theirs}
            changes={describeChanges({ before: shown(base), after: shown(theirs) })}
            onTakeTheirs={() => reset(theirs)}
            onKeepMine={() => reapply(theirs)}
          />
        )}
        {candidate && (
          <Notice
            tone="info"
            title="The first lead has an owner"
            action={
              <GuardedButton
                disabledReason={reason}
                onClick={() => form.setValue('trigger_owner_user_id', candidate, { shouldDirty: true })}
              >
                Use this owner
              </GuardedButton>
            }
          >
            {candidate}
          </Notice>
        )}
        {choices?.failure && missingChoicesWords[choices.failure] && (
          <Notice tone="info">{missingChoicesWords[choices.failure]}</Notice>
        )}
        <FormFieldset disabled={reason !== undefined}>
          {base.type === 'help-desk' ? (
            <Suspense fallback={<Skeleton lines={8} />}>
              <HelpDeskSettings connection={base} choices={choices} />
            </Suspense>
          ) : (
            <LeadSettings
              connection={base}
              choices={choices}
              assistants={choices?.assistants ?? (assistant ? [assistant] : [])}
            />
          )}
        </FormFieldset>
        <Actions>
          <GuardedButton
            variant="primary"
            type="submit"
            disabledReason={reason}
            isBusy={isSubmitting}
            aria-disabled={!isDirty || undefined}
          >
            Save
          </GuardedButton>
          {isDirty && <Button onClick={() => reset(theirs ?? connection)}>Discard</Button>}
        </Actions>
      </Form>
      <UnsavedChangesGuard isDirty={isDirty} />
    </Card>
  );
}

const shown = ({ auto_call, assistant_id, trigger_owner_user_id, settings }: ConnectionView) => ({
  auto_call,
  assistant_id,
  trigger_owner_user_id,
  ...settings,
});

/** Validates the form by the API's rules. */
const schemaFor = (base: ConnectionView) =>
  z.custom<EditValues>().check((context) => {
    for (const { path, message } of validate(base, context.value))
      context.issues.push({ code: 'custom', path: [path], message, input: context.value });
  });
