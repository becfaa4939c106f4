import { CircleCheck, CircleDashed } from 'lucide-react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { classNames } from '../../components/class-names.ts';
import { Card } from '../../components/layout/card.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './home.module.css';

type Steps = NonNullable<Overview['steps']>;

const steps: readonly { step: keyof Steps; title: string; text: string; to: string }[] = [
  {
    step: 'assistant',
    title: 'Create an assistant',
    text: 'A script and a voice. Start with one of the examples.',
    to: '/assistants',
  },
  { step: 'tried', title: 'Try it', text: 'Let it call your own phone, and talk to it.', to: '/assistants' },
  {
    step: 'source',
    title: 'Connect a CRM, or create an API key',
    text: 'Leads come from the CRM, or calls from your own system.',
    to: '/connections',
  },
  { step: 'call', title: 'Have the first call answered', text: 'It appears in the list of calls.', to: '/calls' },
  {
    step: 'callback',
    title: 'Receive a callback',
    text: 'Your system can be notified how each call ended.',
    to: '/developers/callbacks',
  },
];

/** A new organization's first steps, with the completed ones ticked. */
export function FirstSteps({ steps: done }: { steps: Steps }) {
  if (Object.values(done).every(Boolean)) return null;
  const count = Object.values(done).filter(Boolean).length;
  return (
    <Card title="First steps" lead={`${count} of ${steps.length} are done.`}>
      <ol className={styles.steps}>
        {steps.map(({ step, title, text, to }) => (
          <li key={step} className={classNames(styles.step, done[step] && styles.done)}>
            {done[step] ? <CircleCheck aria-hidden="true" /> : <CircleDashed aria-hidden="true" />}
            <div>
              <InternalLink href={to}>{title}</InternalLink>
              <VisuallyHidden>{done[step] ? ' (done)' : ' (not done yet)'}</VisuallyHidden>
              <p className={styles.note}>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
