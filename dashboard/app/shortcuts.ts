/** Single letters, so they can be switched off (WCAG 2.2, 2.1.4 "Character Key Shortcuts"). */
export const shortcuts = [
  { keys: ['g', 'o'], does: 'Go to Overview', to: '/' },
  { keys: ['g', 'c'], does: 'Go to Calls', to: '/calls' },
  { keys: ['g', 's'], does: 'Go to Assistants', to: '/assistants' },
  { keys: ['g', 'm'], does: 'Go to Members', to: '/settings/members' },
  { keys: ['g', 'l'], does: 'Go to Audit log', to: '/settings/audit' },
  { keys: ['g', 'a'], does: 'Go to Account', to: '/account' },
  { keys: ['?'], does: 'Show the shortcuts', to: undefined },
] as const;

export type Shortcut = (typeof shortcuts)[number];

const SEQUENCE_MILLISECONDS = 1_000;

/** Finds the shortcut that a row of pressed keys completes. */
export function createKeyReader() {
  let pressed: { key: string; at: number }[] = [];
  return (key: string, at: number): Shortcut | undefined => {
    pressed = [...pressed.filter((one) => at - one.at < SEQUENCE_MILLISECONDS), { key, at }].slice(-2);
    const found = shortcuts.find(({ keys }) =>
      keys.every((wanted, index) => pressed.at(index - keys.length)?.key === wanted),
    );
    if (found) pressed = [];
    return found;
  };
}

type Target = { tagName?: string; isContentEditable?: boolean };

/** Whether the key is meant for a field and not for the page. */
export const isTyping = ({ tagName = '', isContentEditable = false }: Target): boolean =>
  isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName);
