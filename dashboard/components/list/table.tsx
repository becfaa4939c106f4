import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './table.module.css';
import { useIsNarrow } from './use-is-narrow.ts';

export const tableStyles = styles;

type Props = {
  caption: string;
  /** The columns' names; '' for a column that needs none. */
  columns: readonly string[];
  /** Columns are centred from this one on. */
  centredFrom?: number;
  /** Rows become cards if the table is narrower than this, in pixels; 0 disables it. */
  cardsBelow?: number;
  /** Tighter spacing for many columns. */
  isDense?: boolean;
  /** The rows belong to the previous filters; new ones are loading. */
  isPlaceholderData?: boolean;
  children: ReactNode;
};

/** The `cardsBelow` of tables with many columns or long texts. */
export const WIDE_PX = 960;
const NARROW_PX = 560;

export function Table({
  caption,
  columns,
  cardsBelow = NARROW_PX,
  isDense = false,
  isPlaceholderData = false,
  centredFrom = 99,
  children,
}: Props) {
  const [section, isNarrow] = useIsNarrow<HTMLElement>(cardsBelow);
  return (
    <section ref={section} className={styles.scroll} aria-label={caption} tabIndex={cardsBelow > 0 ? undefined : 0}>
      <table
        className={classNames(
          styles.table,
          cardsBelow === 0 && styles.matrix,
          isNarrow ? styles.cards : isDense && styles.dense,
          isPlaceholderData && styles.placeholder,
        )}
        aria-busy={isPlaceholderData}
      >
        <caption>
          <VisuallyHidden>{caption}</VisuallyHidden>
        </caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" className={index >= centredFrom ? styles.middle : undefined}>
                {column === '' ? <VisuallyHidden>Actions</VisuallyHidden> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
