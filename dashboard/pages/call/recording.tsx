import { Play } from 'lucide-react';
import { useState } from 'react';
import { linkRecording, type ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { call as ask } from '../../app/browser-session.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Notice } from '../../parts/notice.tsx';
import { noRecording } from '../../words/call-page.ts';
import styles from './call.module.css';

/** Plays the recording. Its link is asked for when somebody wants to hear it, because it ends after five minutes. */
export function Recording({ call }: { call: ShownCall }) {
  const [url, setUrl] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isTooOld, setTooOld] = useState(false);
  const reason = noRecording(call);
  const open = async () => {
    setBusy(true);
    setError(undefined);
    setTooOld(false);
    try {
      setUrl((await ask(linkRecording, { params: { id: call.id } })).url);
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  const fail = () => {
    setUrl(undefined);
    setTooOld(true);
  };
  return (
    <Card title="Recording">
      {reason && <p className={styles.muted}>{reason}</p>}
      {error !== undefined && <Failure error={error} />}
      {isTooOld && <Notice tone="warn">The recording cannot be played, or its link has ended. Open it again.</Notice>}
      {!reason && url === undefined && (
        <Button onClick={open} isBusy={isBusy}>
          <Play aria-hidden="true" />
          Open the recording
        </Button>
      )}
      {url !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: the transcript stands on the same page.
        <audio
          className={styles.player}
          controls
          preload="metadata"
          src={url}
          aria-label="Recording of the call"
          onError={fail}
        />
      )}
    </Card>
  );
}
