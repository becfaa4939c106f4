import { useEffect } from 'react';
import * as z from 'zod/mini';
import {
  type ConnectionView,
  type ShownConnection,
  sendTestEvent,
} from '../../../shared/messages/dashboard/connections.ts';
import { useIdempotentAction } from '../../app/query/use-idempotent-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Actions, Form, FormFieldset } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { Card } from '../../components/layout/card.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { describeOutcome } from '../../words/leads/outcomes.ts';
import styles from './connection.module.css';

type Props = {
  connection: ConnectionView;
  awaited: string | undefined;
  event: ShownConnection['event'];
  onSent: (eventId: string) => void;
};

const schema = z.object({
  phone: sendTestEvent.request.shape.phone,
  first_name: z.string().check(z.maxLength(200)),
});

/** Sends a lead with the person's own data through the same path as a real one, and shows its outcome. */
export function TestEvent({ connection, awaited, event, onSent }: Props) {
  const me = useMe();
  const reason = deniedReason(me, sendTestEvent);
  const withIdempotencyKey = useIdempotentAction();
  const state = useApiForm(schema, { phone: me.phone ?? '', first_name: '' }, async ({ phone, first_name }) => {
    const name = first_name.trim();
    const params = { id: connection.connection_id };
    const body = { phone, ...(name !== '' && { first_name: name }) };
    const { event_id } = await withIdempotencyKey((idempotencyKey) =>
      callApi(sendTestEvent, { params, body, idempotencyKey }),
    );
    onSent(event_id);
  });
  // The explanation of why a lead was not called links here.
  useEffect(() => {
    if (location.hash === '#test-event') state.form.setFocus('phone');
  }, [state.form.setFocus]);
  const outcome = event && event.event_id === awaited ? event : undefined;
  return (
    <Card
      title="Send a test event"
      lead="Places a real call to this number, which costs credit and may create a ticket. The CRM is not changed."
    >
      <Form state={state}>
        <FormFieldset disabled={reason !== undefined}>
          <TextField
            name="phone"
            label="Phone"
            type="tel"
            autoComplete="tel"
            hint="As the CRM would store it. A number is called at most once a day."
          />
          <TextField
            name="first_name"
            label="First name"
            autoComplete="off"
            hint="The assistant can use it to greet the person."
          />
        </FormFieldset>
        <Actions>
          <GuardedButton type="submit" disabledReason={reason} isBusy={state.form.formState.isSubmitting}>
            Send test event
          </GuardedButton>
        </Actions>
      </Form>
      <div role="status" className={styles.outcome}>
        {awaited && !outcome && (
          <p className={styles.waiting}>
            <span className={styles.pulse} aria-hidden="true" /> Sent. Waiting for the outcome …
          </p>
        )}
        {outcome && (
          <>
            <p>
              <Badge tone={describeOutcome(outcome.outcome).tone}>{describeOutcome(outcome.outcome).name}</Badge>
            </p>
            <p>{outcome.reason}</p>
            {outcome.call_id && (
              <p>
                <CallLink callId={outcome.call_id} />
              </p>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
