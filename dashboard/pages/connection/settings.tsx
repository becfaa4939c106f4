import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import * as z from 'zod/mini';
import {
  type ConnectionView,
  type ShownConnection,
  updateConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Actions, Form } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { toast } from '../../parts/toasts.ts';
import { missingChoices } from '../../words/connections.ts';
import { timeInIndia } from '../../words/times.ts';
import { connectionQuery, refreshConnections } from '../connections/connections-query.ts';
import { Conflict } from './conflict.tsx';
import { atFields, type EditValues, editOf, problemsOf, rebased, valuesOf } from './edit-form.ts';
import { LeadSettings } from './lead-settings.tsx';
import styles from './settings.module.css';
import { useChoices } from './use-choices.ts';

/** Its preview brings the code that renders tickets, which no CRM's page needs. */
const HelpDeskSettings = lazy(() =>
  import('./help-desk-settings.tsx').then((part) => ({ default: part.HelpDeskSettings })),
);

type Props = { connection: ConnectionView } & Pick<ShownConnection, 'assistant' | 'events'>;

/** Everything that people set of a connection, as one form. Who comes second is told who changed what. */
export function Settings({ connection, assistant, events }: Props) {
  const me = useMe();
  const client = useQueryClient();
  const reason = refusal(me, updateConnection);
  /** The connection that the form changes. */
  const [base, setBase] = useState(connection);
  const [isConflict, setConflict] = useState(false);
  const state = useApiForm(checkedFor(base), valuesOf(base), async (values) => {
    const edit = editOf(base, values);
    try {
      const { connection: saved, note } = await call(updateConnection, {
        params: { id: base.connection_id },
        body: edit,
      });
      client.setQueryData(connectionQuery(saved.connection_id).queryKey, (old) => old && { ...old, connection: saved });
      begin(saved);
      toast(note ?? `Saved. The next ${saved.type === 'help-desk' ? 'ticket' : 'lead'} obeys it.`);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'changed_meanwhile')) throw atFields(error);
      setConflict(true);
    }
    await refreshConnections();
  });
  const { form } = state;
  const { isDirty, isSubmitting } = form.formState;
  const begin = (next: ConnectionView, values = valuesOf(next)) => {
    setBase(next);
    setConflict(false);
    form.reset(valuesOf(next));
    for (const [name, value] of Object.entries(values))
      form.setValue(name as never, value as never, { shouldDirty: true });
  };
  const isOld = connection.revision !== base.revision;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another stored revision begins the form anew.
  useEffect(() => {
    if (!isDirty && (isOld || connection.set_up !== base.set_up)) begin(connection);
  }, [connection, isDirty]);
  const hasCandidate = connection.type === 'crm-a' && connection.trigger_owner_user_id === null;
  const candidate = hasCandidate ? events.find(({ owner_id }) => owner_id !== null)?.owner_id : undefined;
  const choices = useChoices(connection, form.watch('orgId'), reason === undefined);
  return (
    <Card
      title="Settings"
      lead={
        base.updated_by && base.updated_at && `Last changed by ${base.updated_by}, ${timeInIndia(base.updated_at)}.`
      }
    >
      <Form state={state}>
        {isConflict && isOld && (
          <Conflict
            theirs={connection}
            before={base}
            takeTheirs={() => begin(connection)}
            keepMine={() => begin(connection, rebased(valuesOf(base), valuesOf(connection), form.getValues()))}
          />
        )}
        {candidate && (
          <Notice
            tone="info"
            title="The first lead has an owner"
            action={
              <Button onClick={() => form.setValue('trigger_owner_user_id', candidate, { shouldDirty: true })}>
                Use this owner
              </Button>
            }
          >
            {candidate}
          </Notice>
        )}
        {choices?.failure && <Notice tone="info">{missingChoices[choices.failure]}</Notice>}
        <fieldset className={styles.fields} disabled={reason !== undefined}>
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
        </fieldset>
        <Actions>
          <GuardedButton
            look="primary"
            type="submit"
            reason={reason}
            isBusy={isSubmitting}
            aria-disabled={!isDirty || undefined}
          >
            Save
          </GuardedButton>
          {isDirty && <Button onClick={() => begin(connection)}>Discard</Button>}
        </Actions>
      </Form>
    </Card>
  );
}

/** Checks the form by the rules of the API. */
const checkedFor = (base: ConnectionView) =>
  z.custom<EditValues>().check((context) => {
    for (const { path, message } of problemsOf(base, context.value))
      context.issues.push({ code: 'custom', path: [path], message, input: context.value });
  });
