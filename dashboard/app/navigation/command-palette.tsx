import { Autocomplete } from '@base-ui/react/autocomplete';
import { useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Phone, Target, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../components/dialog/dialog.tsx';
import styles from './command-palette.module.css';
import { pageGroups } from './sidebar.tsx';

type Item = {
  label: string;
  icon: LucideIcon;
  go: () => void;
  /** Shown for any input. */
  isAlways?: boolean;
};
type Group = { label: string; items: Item[] };

/** Opens a page, finds a call or explains a lead from a few letters. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const typed = text.trim();
  const found: Item[] = [
    {
      label: `Why was “${typed}” not called?`,
      icon: Target,
      go: () => navigate({ to: '/leads', search: { ask: typed } }),
      isAlways: true,
    },
    {
      label: `Find the call “${typed}”`,
      icon: Phone,
      go: () => navigate({ to: '/calls', search: { q: typed } }),
      isAlways: true,
    },
  ];
  const pages: Item[] = [
    ...pageGroups.flatMap(({ entries }) =>
      entries.map(({ to, icon, label }): Item => ({ label, icon, go: () => navigate({ to, search: {} }) })),
    ),
    { label: 'Account', icon: UserRound, go: () => navigate({ to: '/account' }) },
  ];
  const groups: Group[] = [
    { label: 'Pages', items: pages },
    { label: 'Find', items: typed === '' ? [] : found },
  ];
  const matches = ({ label, isAlways }: Item, query: string) =>
    isAlways === true || label.toLowerCase().includes(query.trim().toLowerCase());
  return (
    <Dialog isOpen onClose={onClose} title="Search and go" lead="A page, a phone number, a lead id, a call id.">
      <Autocomplete.Root
        open
        inline
        items={groups}
        value={text}
        onValueChange={setText}
        filter={matches}
        autoHighlight="always"
        keepHighlight
        itemToStringValue={({ label }: Item) => label}
      >
        <Autocomplete.Input
          className={styles.input}
          aria-label="What to search"
          placeholder="Type a name or a number"
        />
        <Autocomplete.List className={styles.list}>
          {(group: Group) => (
            <Autocomplete.Group key={group.label} items={group.items} className={styles.group}>
              <Autocomplete.GroupLabel className={styles.label}>{group.label}</Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Item) => (
                  <Autocomplete.Item
                    key={item.label}
                    value={item}
                    className={styles.item}
                    onClick={() => {
                      onClose();
                      item.go();
                    }}
                  >
                    <item.icon aria-hidden="true" />
                    {item.label}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  );
}
