import { Hidden } from '../hidden.tsx';
import styles from './skeleton.module.css';

/** The outline of content that is loading. */
export function Skeleton({ lines = 5, what = 'Loading' }: { lines?: number; what?: string }) {
  return (
    <div className={styles.skeleton} aria-busy="true">
      <Hidden>{what} …</Hidden>
      {Array.from({ length: lines }, (_, index) => index).map((index) => (
        <div key={index} className={styles.line} />
      ))}
    </div>
  );
}
