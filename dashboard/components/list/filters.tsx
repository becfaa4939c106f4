import { SlidersHorizontal } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../button/button.tsx';
import { classNames } from '../class-names.ts';
import { Card } from '../layout/card.tsx';
import styles from './filters.module.css';

type Props = {
  /** The number of active filters. */
  count: number;
  onClear: () => void;
  /** A text to search for, which stays visible on a phone. */
  search?: ReactNode;
  onSubmit?: () => void;
  /** A remark beside the button that clears, such as a filter without a field. */
  note?: ReactNode;
  children: ReactNode;
};

/** A list's filters. On a phone, a button opens them. */
export function Filters({ count, onClear, search, onSubmit, note, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <Card>
      <form className={styles.filters} aria-label="Filters" onSubmit={submit}>
        {search}
        <Button
          className={styles.toggle ?? ''}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal aria-hidden="true" />
          Filters{count > 0 && ` (${count} set)`}
        </Button>
        <div id={id} className={classNames(styles.more, isOpen && styles.open)}>
          {children}
        </div>
      </form>
      {count > 0 && (
        <div className={styles.foot}>
          {note}
          <Button onClick={onClear}>Clear {count === 1 ? 'the filter' : `all ${count} filters`}</Button>
        </div>
      )}
    </Card>
  );
}
