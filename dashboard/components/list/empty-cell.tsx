import styles from './table.module.css';

/** The dash of a cell without a value. Cards leave it out. */
export const EmptyCell = () => <span className={styles.emptyCell}>–</span>;
