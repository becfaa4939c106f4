import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

type Tab = { value: string; label: ReactNode; panel: ReactNode };

type Props = { label: string; tabs: readonly Tab[]; value: string; onChoose: (value: string) => void };

/** Parts of a page, shown one at a time. Hidden ones keep their typed text. */
export const TabPanels = ({ label, tabs, value, onChoose }: Props) => (
  <Base.Root className={styles.root} value={value} onValueChange={(next) => onChoose(String(next))}>
    <Base.List className={styles.tabs} aria-label={label} activateOnFocus>
      {tabs.map((tab) => (
        <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map((tab) => (
      <Base.Panel key={tab.value} value={tab.value} className={styles.panel} keepMounted tabIndex={-1}>
        {tab.panel}
      </Base.Panel>
    ))}
  </Base.Root>
);
