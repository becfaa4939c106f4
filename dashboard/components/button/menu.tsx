import { Menu as Base } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import styles from './menu.module.css';

type Props = {
  /** The button that opens it. */
  trigger: ReactElement<Record<string, unknown>>;
  head?: ReactNode;
  children: ReactNode;
};

export const Menu = ({ trigger, head, children }: Props) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner align="end" sideOffset={6} className={styles.positioner}>
        <Base.Popup className={styles.popup}>
          {head && <div className={styles.head}>{head}</div>}
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

type ItemProps = {
  icon: LucideIcon;
  children: ReactNode;
  /** Why it is not allowed; it stays visible. */
  disabledReason?: string | undefined;
  isDangerous?: boolean;
  onClick: () => void;
};

export const MenuItem = ({ icon: Icon, children, disabledReason, isDangerous = false, onClick }: ItemProps) => (
  <Base.Item
    className={classNames(styles.item, isDangerous && styles.dangerous)}
    disabled={disabledReason !== undefined}
    onClick={onClick}
  >
    <Icon aria-hidden="true" />
    <span>
      {children}
      {disabledReason && <span className={styles.reason}>{disabledReason}</span>}
    </span>
  </Base.Item>
);
