import type { ReactNode } from 'react';
import styles from './call.module.css';

/** Names with their values; empty values are omitted. */
export const DescriptionList = ({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={styles.descriptionList}>
    {items
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <DescriptionItem key={name} name={name} value={value} />
      ))}
  </dl>
);

const DescriptionItem = ({ name, value }: { name: string; value: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);
