import { memo, useEffect, useRef } from 'react';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { whyNoRecording, whyNoTranscript } from '../../words/calls/call-page.ts';
import { findLineAt, speakerNames } from '../../words/calls/transcript.ts';
import { formatDuration } from '../../words/times.ts';
import callStyles from './call.module.css';
import { parseTranscript } from './parse-transcript.ts';
import { handleKey } from './player-keys.ts';
import styles from './transcript.module.css';
import type { Player } from './use-player.ts';

type Lines = NonNullable<ShownCall['transcript']['lines']>;
type Props = { call: ShownCall; player: Player };

/** The conversation. With the platform's times it follows the player, and a click on a line seeks to it. */
export function Transcript({ call, player }: Props) {
  const reason = whyNoTranscript(call);
  const { text, lines, is_cut } = call.transcript;
  return (
    <Card title="Transcript" action={!reason && <CopyButton text={text ?? ''} what="the transcript" />}>
      {reason && <p className={callStyles.muted}>{reason}</p>}
      {!reason &&
        (lines ? <TimedTranscript call={call} lines={lines} player={player} /> : <PlainTranscript text={text ?? ''} />)}
      {is_cut && <Notice tone="info">Only the beginning of the transcript is shown.</Notice>}
    </Card>
  );
}

/** The transcript of a call whose lines have no times. */
function PlainTranscript({ text }: { text: string }) {
  // Lines have no ids, and their order never changes.
  const lines = parseTranscript(text).map((line, index) => ({ ...line, key: index }));
  return (
    <ol className={classNames(styles.transcript, styles.plain)}>
      {lines.map(({ key, who, text: said }) => (
        <li key={key}>
          {who && <span className={styles.who}>{who}</span>}
          {said}
        </li>
      ))}
    </ol>
  );
}

function TimedTranscript({ call, lines, player }: Props & { lines: Lines }) {
  const list = useRef<HTMLOListElement>(null);
  const hasStarted = player.url !== undefined || player.time > 0;
  const current = hasStarted ? findLineAt(lines, player.time) : undefined;
  const { isPlaying } = player;
  const isPlayable = whyNoRecording(call) === undefined;
  const speakers = speakerNames(call);
  useEffect(() => {
    const shown = current === undefined || !isPlaying ? undefined : list.current?.children[current];
    // Scrolls only the list, not the page.
    if (shown instanceof HTMLElement && list.current)
      list.current.scrollTop = shown.offsetTop - list.current.clientHeight / 3;
  }, [current, isPlaying]);
  // Gives lines the current player without rendering them again whenever it moves.
  const latest = useRef(player);
  latest.current = player;
  return (
    <ol
      ref={list}
      className={classNames(styles.transcript, styles.timed)}
      onKeyDown={(event) => {
        if (isPlayable && handleKey(player, event, true)) event.preventDefault();
      }}
    >
      {lines.map((line, index) => (
        <TranscriptLine
          key={`${line.from} ${line.who} ${line.text}`}
          line={line}
          name={speakers[line.who]}
          isCurrent={index === current}
          isPlayable={isPlayable}
          player={latest}
        />
      ))}
    </ol>
  );
}

type LineProps = {
  line: Lines[number];
  name: string;
  isCurrent: boolean;
  isPlayable: boolean;
  player: { current: Player };
};

const TranscriptLine = memo(function TalkLine({ line, name, isCurrent, isPlayable, player }: LineProps) {
  const { text, from } = line;
  const said = (
    <>
      <span className={styles.head}>
        <span className={styles.who}>{name}</span>{' '}
        <span className={styles.clock}>{formatDuration(Math.floor(from))}</span>
      </span>{' '}
      <span className={styles.said}>{text}</span>
    </>
  );
  return (
    <li>
      {isPlayable ? (
        <button
          type="button"
          className={styles.line}
          aria-current={isCurrent || undefined}
          onClick={() => player.current.seek(from, true)}
        >
          <VisuallyHidden>Play from </VisuallyHidden>
          {said}
        </button>
      ) : (
        <div className={styles.line}>{said}</div>
      )}
    </li>
  );
});
