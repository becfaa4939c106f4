import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { describeTalkShare, speakerNames } from '../../words/calls/transcript.ts';
import styles from './call.module.css';
import type { Player } from './use-player.ts';

type Lines = NonNullable<ShownCall['transcript']['lines']>;

const speakers = ['assistant', 'person'] as const;

/** Draws who speaks when, from the platform's times. The transcript below says the same in words. */
export function SpeakerLanes({ call, lines, player }: { call: ShownCall; lines: Lines; player: Player }) {
  const length = Math.max(player.length, lines.at(-1)?.to ?? 0, 1);
  const names = speakerNames(call);
  return (
    <div className={styles.lanes}>
      {speakers.map((who) => {
        const spoken = lines.filter((line) => line.who === who);
        return (
          <div key={who} className={styles.lane}>
            <span className={styles.laneName}>{names[who]}</span>
            <svg
              className={styles.laneBars}
              viewBox={`0 0 ${length} 1`}
              preserveAspectRatio="none"
              role="img"
              aria-label={describeTalkShare(names[who], spoken, length)}
            >
              {spoken.map(({ from, to }) => (
                <rect
                  key={from}
                  className={who === 'assistant' ? styles.barOfAssistant : styles.barOfPerson}
                  x={from}
                  y={0.2}
                  width={Math.max(to - from, length / 300)}
                  height={0.6}
                />
              ))}
              <rect className={styles.head} x={player.time - length / 400} y={0} width={length / 200} height={1} />
            </svg>
          </div>
        );
      })}
    </div>
  );
}
