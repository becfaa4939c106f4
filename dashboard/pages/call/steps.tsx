import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { Table } from '../../components/list/table.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import { describeOpenStep, stepStates, stepWords } from '../../words/calls/call-page.ts';
import { wordsIn } from '../../words/newer.ts';
import styles from './call.module.css';

/** The writes to CRM-B and the help desk, step by step. */
export const Steps = ({ call }: { call: ShownCall }) => (
  <Card title="CRM-B and help desk" isFlush>
    {call.open_steps.map((open) => (
      <div key={open.of} className={styles.open}>
        <Notice tone="warn">{describeOpenStep(open)}</Notice>
      </div>
    ))}
    {call.steps.length > 0 && (
      <Table caption="Steps at CRM-B and the help desk" columns={['Step', 'State', 'When']}>
        {call.steps.map(({ step, state, at, id, error }) => (
          <tr key={step}>
            <td>
              {stepWords[step]} {id && <code>{id}</code>}
            </td>
            <td data-label="State">
              <Badge tone={wordsIn(stepStates, state).tone}>{wordsIn(stepStates, state).name}</Badge>
              {error && <p className={styles.muted}>{error}</p>}
            </td>
            <td data-label="When">
              <Time at={at} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);
