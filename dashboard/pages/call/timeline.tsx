import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Time } from '../../components/text/time.tsx';
import { describeWait } from '../../words/calls/call-page.ts';
import { describeTimeline } from '../../words/calls/timeline.ts';
import styles from './call.module.css';

/** The call's progress, from its placement to the last follow-up. */
export const Timeline = ({ call }: { call: ShownCall }) => (
  <Card title="Timeline">
    {call.waits && <Notice tone="info">{describeWait(call.waits)}</Notice>}
    <ol className={styles.timeline}>
      {describeTimeline(call).map(({ key, text, note, at }) => (
        <li key={key}>
          <span>
            {text}
            {note && <span className={styles.muted}> · {note}</span>}
          </span>
          <Time at={at} hasSeconds />
        </li>
      ))}
    </ol>
  </Card>
);
