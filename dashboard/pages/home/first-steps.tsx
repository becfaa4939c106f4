import { CircleCheck, CircleDashed } from 'lucide-react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { Card } from '../../parts/card.tsx';
import { Hidden } from '../../parts/hidden.tsx';
import { names } from '../../parts/names.ts';
import { OwnLink } from '../../parts/own-link.tsx';
import styles from './home.module.css';

type Steps = NonNullable<Overview['steps']>;

const steps: readonly { step: keyof Steps; title: string; text: string; to: string }[] = [
  {
    step: 'assistant',
    title: 'Create an assistant',
    text: 'A script and a voice. Begin with one of the examples.',
    to: '/assistants',
  },
  { step: 'tried', title: 'Try it', text: 'Let it call your own phone, and talk to it.', to: '/assistants' },
  {
    step: 'source',
    title: 'Connect a CRM, or create an API key',
    text: 'Leads come from the CRM, or calls from your own system.',
    to: '/connections',
  },
  { step: 'call', title: 'Have the first call answered', text: 'It shows in the list of the calls.', to: '/calls' },
  {
    step: 'callback',
    title: 'Receive a callback',
    text: 'Your system is told how each call ended, if it wants to.',
    to: '/developers/callbacks',
  },
];

/** What a new organization does first, ticked by what it has done. */
export function FirstSteps({ steps: done }: { steps: Steps }) {
  if (Object.values(done).every(Boolean)) return null;
  const count = Object.values(done).filter(Boolean).length;
  return (
    <Card title="First steps" lead={`${count} of ${steps.length} are done.`}>
      <ol className={styles.steps}>
        {steps.map(({ step, title, text, to }) => (
          <li key={step} className={names(styles.step, done[step] && styles.done)}>
            {done[step] ? <CircleCheck aria-hidden="true" /> : <CircleDashed aria-hidden="true" />}
            <div>
              <OwnLink href={to}>{title}</OwnLink>
              <Hidden>{done[step] ? ' (done)' : ' (not done yet)'}</Hidden>
              <p className={styles.note}>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
