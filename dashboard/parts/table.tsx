import type { ReactNode } from 'react';
import { Hidden } from './hidden.tsx';
import { names } from './names.ts';
import styles from './table.module.css';

export const tableStyles = styles;

type Props = {
  caption: string;
  /** Names of the columns; '' for one that needs none. */
  columns: readonly ReactNode[];
  /** Rows become cards on a phone. */
  isCards?: boolean;
  /** The rows belong to the filters before; new ones are on their way. */
  isOld?: boolean;
  children: ReactNode;
};

export const Table = ({ caption, columns, isCards = true, isOld = false, children }: Props) => (
  <section className={styles.scroll} aria-label={caption} tabIndex={isCards ? undefined : 0}>
    <table className={names(styles.table, isCards && styles.cards, isOld && styles.old)} aria-busy={isOld}>
      <caption>
        <Hidden>{caption}</Hidden>
      </caption>
      <thead>
        <tr>
          {columns.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move.
            <th key={index} scope="col">
              {column === '' ? <Hidden>Actions</Hidden> : column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
