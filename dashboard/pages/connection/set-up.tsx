import { Circle, CircleCheck } from 'lucide-react';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { describeNextStep, needsConsent, stepNames } from '../../words/connections/connections.ts';
import { WebhookAddress } from '../connections/webhook-address.tsx';
import styles from './connection.module.css';
import { Consent } from './consent.tsx';

const steps = ['token', 'assistant', 'owner', 'organization', 'department', 'consent', 'channel', 'delivery'];

/** The completed setup steps, and the next one. Disappears once everything works. */
export function SetUp({ connection }: { connection: ConnectionView }) {
  const { next_step, set_up, is_connected, type } = connection;
  const words = describeNextStep(connection);
  if (next_step === null || !words) return null;
  const { title, text } = words;
  const isStep = steps.includes(next_step);
  return (
    <Card title={isStep ? 'Setup' : 'What to do'}>
      <div className={styles.setUp}>
        {isStep && (
          <ol className={styles.steps}>
            {set_up.map(({ step, is_done }) => (
              <li key={step} data-done={is_done} aria-current={step === next_step ? 'step' : undefined}>
                {is_done ? <CircleCheck aria-hidden="true" /> : <Circle aria-hidden="true" />}
                {stepNames[step]}
                <VisuallyHidden>{is_done ? ', done' : ', not done'}</VisuallyHidden>
              </li>
            ))}
          </ol>
        )}
        <div role="status">
          <Notice tone={isStep ? 'info' : 'warn'} title={title}>
            {text}
          </Notice>
        </div>
        {type !== 'crm-a' && needsConsent(connection) && <Consent connection={connection} type={type} />}
        {type === 'crm-a' && is_connected && (next_step === 'delivery' || next_step === 'check_token') && (
          <WebhookAddress connection={connection}>
            <dt>Header value</dt>
            <dd>
              The token that was shown when it was created. If it is lost, create a new one in the menu at the top.
            </dd>
          </WebhookAddress>
        )}
        {next_step === 'delivery' && (
          <p className={styles.waiting}>
            <span className={styles.pulse} aria-hidden="true" /> Waiting for the first delivery …
          </p>
        )}
      </div>
    </Card>
  );
}
