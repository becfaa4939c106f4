import { formatDayInIndia, formatInOtherZones, formatSecondInIndia, formatTimeInIndia } from '../../words/times.ts';
import styles from './time.module.css';
import { Tooltip } from './tooltip.tsx';

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

type Props = {
  /** An instant (ISO 8601). */
  at: string;
  /** Shows only the day; the clock is in the tooltip. */
  isDay?: boolean;
  /** Shows the seconds, too. */
  hasSeconds?: boolean;
};

/** A time in India, with UTC and the person's local time in a tooltip. */
export function Time({ at, isDay = false, hasSeconds = false }: Props) {
  const shown = isDay ? formatDayInIndia : hasSeconds ? formatSecondInIndia : formatTimeInIndia;
  const others = [...(isDay ? [formatTimeInIndia(at)] : []), ...formatInOtherZones(at, ownZone)];
  return (
    <Tooltip
      text={others.map((other) => (
        <span key={other} className={styles.other}>
          {other}
        </span>
      ))}
    >
      <button type="button" className={styles.time}>
        <time dateTime={at}>{shown(at)}</time>
      </button>
    </Tooltip>
  );
}
