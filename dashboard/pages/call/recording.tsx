import { Download, Pause, Play } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { linkRecording, type ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Button } from '../../components/button/button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { toastFailure } from '../../components/message/toasts.ts';
import { whyNoRecording } from '../../words/calls/call-page.ts';
import { formatDuration } from '../../words/times.ts';
import styles from './call.module.css';
import { handleKey } from './player-keys.ts';
import { SpeakerLanes } from './speaker-lanes.tsx';
import { type Player, speeds } from './use-player.ts';

/** Plays the recording and shows who speaks when. */
export function Recording({ call, player }: { call: ShownCall; player: Player }) {
  const reason = whyNoRecording(call);
  const { problem } = player;
  return (
    <Card title="Recording" action={!reason && <DownloadButton callId={call.id} />}>
      {reason && <p className={styles.muted}>{reason}</p>}
      {problem === 'unplayable' && (
        <Notice tone="warn">The recording cannot be played. If it was not removed, you can download it.</Notice>
      )}
      {problem !== undefined && problem !== 'unplayable' && <ErrorNotice error={problem} />}
      {!reason && (
        <>
          {call.transcript.lines && <SpeakerLanes call={call} lines={call.transcript.lines} player={player} />}
          <Controls player={player} />
        </>
      )}
    </Card>
  );
}

function Controls({ player }: { player: Player }) {
  const { time, length, isPlaying, isOpening, speed } = player;
  const press = (hasOwnSpace: boolean) => (event: KeyboardEvent) => {
    if (handleKey(player, event, hasOwnSpace)) event.preventDefault();
  };
  const [now, end] = [formatDuration(Math.floor(time)), formatDuration(Math.floor(length))];
  return (
    <div className={styles.controls}>
      <Button
        variant="primary"
        isIcon
        isBusy={isOpening}
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={player.toggle}
        onKeyDown={press(true)}
      >
        {!isOpening && (isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />)}
      </Button>
      <span className={styles.clock}>{now}</span>
      <input
        type="range"
        className={styles.position}
        min={0}
        max={length}
        step={0.1}
        value={Math.min(time, length)}
        aria-label="Position in the recording"
        aria-valuetext={`${now} of ${end}`}
        onChange={(event) => player.seek(Number(event.target.value))}
        onKeyDown={press(false)}
      />
      <span className={styles.clock}>{end}</span>
      <select
        className={styles.speed}
        aria-label="Speed"
        value={speed}
        onChange={(event) => player.setSpeed(Number(event.target.value))}
      >
        {speeds.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript is on the same page. */}
      <audio ref={player.audio} preload="metadata" />
    </div>
  );
}

function DownloadButton({ callId }: { callId: string }) {
  const { run, isBusy } = useAction((error) => toastFailure('The recording was not downloaded.', error));
  const save = () =>
    run(async () => {
      const { url } = await callApi(linkRecording, { params: { id: callId }, query: { download: 'true' } });
      const link = document.createElement('a');
      link.href = url;
      link.rel = 'noreferrer';
      link.click();
    });
  return (
    <Button variant="quiet" isIcon isBusy={isBusy} aria-label="Download the recording" onClick={save}>
      {!isBusy && <Download aria-hidden="true" />}
    </Button>
  );
}
