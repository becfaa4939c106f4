import type { ReactNode } from 'react';
import { Hidden } from './hidden.tsx';
import { names } from './names.ts';
import styles from './table.module.css';

export const tableStyles = styles;

type Props = {
  caption: string;
  /** Names of the columns; '' for one that needs none. */
  columns: readonly string[];
  /** From that one on, columns are centred. */
  centredFrom?: number;
  /** Rows become cards on a phone. */
  isCards?: boolean;
  /** Less room between many columns. */
  isDense?: boolean;
  /** The rows belong to the filters before; new ones are on their way. */
  isOld?: boolean;
  children: ReactNode;
};

export const Table = ({
  caption,
  columns,
  isCards = true,
  isDense = false,
  isOld = false,
  centredFrom = 99,
  children,
}: Props) => (
  <section className={styles.scroll} aria-label={caption} tabIndex={isCards ? undefined : 0}>
    <table
      className={names(styles.table, isCards && styles.cards, isDense && styles.dense, isOld && styles.old)}
      aria-busy={isOld}
    >
      <caption>
        <Hidden>{caption}</Hidden>
      </caption>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={column} scope="col" className={index >= centredFrom ? styles.middle : undefined}>
              {column === '' ? <Hidden>Actions</Hidden> : column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
