import type { ReactNode } from 'react';
import { names } from './names.ts';
import styles from './surfaces.module.css';
import type { Tone } from './tones.ts';

/** A state, in words; its colour only helps. */
export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={names(styles.badge, tone !== 'plain' && styles[tone])}>{children}</span>
);
