import type { ReactNode } from 'react';
import { names } from './names.ts';
import styles from './surfaces.module.css';
import type { Tone } from './tones.ts';

type Props = { tone?: Tone; hasDot?: boolean; children: ReactNode };

/** A state, in words; its colour and its dot only help. */
export const Badge = ({ tone = 'plain', hasDot = false, children }: Props) => (
  <span className={names(styles.badge, tone !== 'plain' && styles[tone], hasDot && styles.dotted)}>{children}</span>
);
