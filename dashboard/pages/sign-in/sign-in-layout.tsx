import { type ReactNode, useEffect } from 'react';
import icon from '../../icon.svg';
import styles from './sign-in-layout.module.css';

type Props = { title: string; lead?: ReactNode; below?: ReactNode; children: ReactNode };

/** The frame of the pages without a session. */
export function SignInLayout({ title, lead, below, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Calling service`;
  }, [title]);
  return (
    <main className={styles.frame}>
      <div className={styles.column}>
        <div className={styles.brand}>
          <img src={icon} alt="" width={36} height={36} />
          Calling service
        </div>
        <div className={styles.card}>
          <div>
            <h1 className={styles.title}>{title}</h1>
            {lead && <p className={styles.lead}>{lead}</p>}
          </div>
          {children}
        </div>
        {below && <div className={styles.below}>{below}</div>}
      </div>
    </main>
  );
}
