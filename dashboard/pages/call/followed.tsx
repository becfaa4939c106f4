import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { callbackInWords, callbackStates, stepStates, stepWords } from '../../words/call-page.ts';
import styles from './call.module.css';

/** What CRM-B and the help desk were told, step by step. */
export const Steps = ({ call }: { call: ShownCall }) => (
  <Card title="CRM-B and help desk" isFlush>
    <Table caption="Steps at CRM-B and the help desk" columns={['Step', 'State', 'When']}>
      {call.steps.map(({ step, state, at, id, error }) => (
        <tr key={step}>
          <td>
            {stepWords[step]} {id && <code>{id}</code>}
          </td>
          <td data-label="State">
            <Badge tone={stepStates[state].tone}>{stepStates[state].name}</Badge>
            {error && <p className={styles.muted}>{error}</p>}
          </td>
          <td data-label="When">
            <Time at={at} />
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);

/** What the client's own system was told, with every attempt. */
export const Callbacks = ({ call }: { call: ShownCall }) => (
  <Card title="Callbacks" lead={call.callback_url && `To ${call.callback_url}`} isFlush>
    <Table caption="Callbacks" columns={['Event', 'State', 'Attempts']}>
      {call.callbacks.map(({ webhook_id, type, state, attempts, next_attempt_at }) => (
        <tr key={webhook_id}>
          <td>{callbackInWords(type)}</td>
          <td data-label="State">
            <Badge tone={callbackStates[state].tone}>{callbackStates[state].name}</Badge>
          </td>
          <td data-label="Attempts">
            <ul className={styles.attempts}>
              {attempts.map(({ at, status_code, error }) => (
                <li key={at}>
                  <Time at={at} /> {status_code ?? error ?? 'no result yet'}
                </li>
              ))}
              {next_attempt_at && (
                <li>
                  Next: <Time at={next_attempt_at} />
                </li>
              )}
            </ul>
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);
