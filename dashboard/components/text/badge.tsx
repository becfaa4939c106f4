import type { ReactNode } from 'react';
import type { Tone } from '../../words/tones.ts';
import { classNames } from '../class-names.ts';
import styles from '../surfaces.module.css';

type Props = { tone?: Tone; hasDot?: boolean; children: ReactNode };

/** A state, in words; colour and dot only support them. */
export const Badge = ({ tone = 'plain', hasDot = false, children }: Props) => (
  <span className={classNames(styles.badge, tone !== 'plain' && styles[tone], hasDot && styles.dotted)}>
    {children}
  </span>
);
