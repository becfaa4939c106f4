import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './skeleton.module.css';

/** The outline of content that is loading. */
export function Skeleton({ lines = 5, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className={styles.skeleton} aria-busy="true">
      <VisuallyHidden>{label} …</VisuallyHidden>
      {Array.from({ length: lines }, (_, index) => index).map((index) => (
        <div key={index} className={styles.line} />
      ))}
    </div>
  );
}
