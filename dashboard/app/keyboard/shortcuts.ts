/** Single letters, so people can switch them off (WCAG 2.2, 2.1.4 "Character Key Shortcuts"). */
export const shortcuts = [
  { keys: ['g', 'o'], does: 'Go to Overview', to: '/' },
  { keys: ['g', 'c'], does: 'Go to Calls', to: '/calls' },
  { keys: ['g', 's'], does: 'Go to Assistants', to: '/assistants' },
  { keys: ['g', 'l'], does: 'Go to Leads', to: '/leads' },
  { keys: ['g', 'n'], does: 'Go to Connections', to: '/connections' },
  { keys: ['g', 'd'], does: 'Go to Do not call', to: '/do-not-call' },
  { keys: ['g', 'r'], does: 'Go to Credit', to: '/credit' },
  { keys: ['g', 'k'], does: 'Go to API keys', to: '/developers/keys' },
  { keys: ['g', 'b'], does: 'Go to Callbacks', to: '/developers/callbacks' },
  { keys: ['g', 'e'], does: 'Go to Organization', to: '/settings/organization' },
  { keys: ['g', 'm'], does: 'Go to Members', to: '/settings/members' },
  { keys: ['g', 't'], does: 'Go to Notifications', to: '/settings/notifications' },
  { keys: ['g', 'u'], does: 'Go to Audit log', to: '/settings/audit' },
  { keys: ['g', 'a'], does: 'Go to Account', to: '/account' },
  { keys: ['/'], does: 'Search on this page', to: undefined, act: 'search' },
  { keys: ['j'], does: 'Next row of a list', to: undefined, act: 'next' },
  { keys: ['k'], does: 'Row before', to: undefined, act: 'previous' },
  { keys: ['?'], does: 'Show the shortcuts', to: undefined, act: 'help' },
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

/** Returns whether the key is meant for a field and not for the page. */
export const isTyping = ({ tagName = '', isContentEditable = false }: Target): boolean =>
  isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName);
