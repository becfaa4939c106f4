import { lazy, Suspense } from 'react';
import * as z from 'zod/mini';
import {
  type ConnectionView,
  type ShownConnection,
  updateConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { useDraft } from '../../parts/draft.ts';
import { Actions, Fields, Form } from '../../parts/form.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.ts';
import { missingChoices } from '../../words/connections.ts';
import { refreshConnections, storeConnection } from '../connections/connections-query.ts';
import { Conflict } from './conflict.tsx';
import { atFields, type EditValues, editOf, problemsOf, rebased, valuesOf } from './edit-form.ts';
import { LeadSettings } from './lead-settings.tsx';
import { useChoices } from './use-choices.ts';

/** Its preview brings the code that renders tickets, which no CRM's page needs. */
const HelpDeskSettings = lazy(() =>
  import('./help-desk-settings.tsx').then((part) => ({ default: part.HelpDeskSettings })),
);

type Props = { connection: ConnectionView } & Pick<ShownConnection, 'assistant' | 'events'>;

/** Everything that people set of a connection, as one form. Who comes second is told who changed what. */
export function Settings({ connection, assistant, events }: Props) {
  const me = useMe();
  const reason = refusal(me, updateConnection);
  const draft = useDraft<ConnectionView, EditValues, true>(connection, {
    schemaOf: checkedFor,
    valuesOf,
    async save(values, from) {
      const params = { id: from.connection_id };
      const { connection: saved, note } = await call(updateConnection, { params, body: editOf(from, values) }).catch(
        async (error) => {
          await refreshConnections();
          throw atFields(error);
        },
      );
      storeConnection(saved);
      toast(note ?? `Saved. The next ${saved.type === 'help-desk' ? 'ticket' : 'lead'} obeys it.`);
      return saved;
    },
    late: () => true,
  });
  const { state, base, conflict, begin } = draft;
  const { form } = state;
  const { isDirty, isSubmitting } = form.formState;
  const isOld = connection.revision > base.revision;
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
        {conflict && isOld && (
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
              <GuardedButton
                reason={reason}
                onClick={() => form.setValue('trigger_owner_user_id', candidate, { shouldDirty: true })}
              >
                Use this owner
              </GuardedButton>
            }
          >
            {candidate}
          </Notice>
        )}
        {choices?.failure && missingChoices[choices.failure] && (
          <Notice tone="info">{missingChoices[choices.failure]}</Notice>
        )}
        <Fields disabled={reason !== undefined}>
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
        </Fields>
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
      <LeaveGuard isDirty={isDirty} />
    </Card>
  );
}

/** Checks the form by the rules of the API. */
const checkedFor = (base: ConnectionView) =>
  z.custom<EditValues>().check((context) => {
    for (const { path, message } of problemsOf(base, context.value))
      context.issues.push({ code: 'custom', path: [path], message, input: context.value });
  });
