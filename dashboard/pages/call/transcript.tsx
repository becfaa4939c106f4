import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { linesOf } from '../../app/transcript.ts';
import { Card } from '../../parts/card.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Notice } from '../../parts/notice.tsx';
import { noTranscript } from '../../words/call-page.ts';
import styles from './call.module.css';

/** What was said, as a conversation. */
export function Transcript({ call }: { call: ShownCall }) {
  const reason = noTranscript(call);
  const text = call.transcript.text ?? '';
  // Lines have no ids, and none moves.
  const lines = linesOf(text).map((line, index) => ({ ...line, key: index }));
  return (
    <Card title="Transcript" action={!reason && <Copy text={text} what="the transcript" />}>
      {reason ? (
        <p className={styles.muted}>{reason}</p>
      ) : (
        <ol className={styles.talk}>
          {lines.map(({ key, who, text: said }) => (
            <li key={key}>
              {who && <span className={styles.who}>{who}</span>}
              {said}
            </li>
          ))}
        </ol>
      )}
      {call.transcript.is_cut && <Notice tone="info">The transcript is longer. This is its beginning.</Notice>}
    </Card>
  );
}
