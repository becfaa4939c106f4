/** Single letters, so people can switch them off (WCAG 2.2, 2.1.4 "Character Key Shortcuts"). */
export const shortcuts = [
  { keys: ['g', 'o'], description: 'Go to Overview', to: '/' },
  { keys: ['g', 'c'], description: 'Go to Calls', to: '/calls' },
  { keys: ['g', 's'], description: 'Go to Assistants', to: '/assistants' },
  { keys: ['g', 'l'], description: 'Go to Leads', to: '/leads' },
  { keys: ['g', 'n'], description: 'Go to Connections', to: '/connections' },
  { keys: ['g', 'd'], description: 'Go to Do not call', to: '/do-not-call' },
  { keys: ['g', 'r'], description: 'Go to Credit', to: '/credit' },
  { keys: ['g', 'k'], description: 'Go to API keys', to: '/developers/keys' },
  { keys: ['g', 'b'], description: 'Go to Callbacks', to: '/developers/callbacks' },
  { keys: ['g', 'e'], description: 'Go to Organization', to: '/settings/organization' },
  { keys: ['g', 'm'], description: 'Go to Members', to: '/settings/members' },
  { keys: ['g', 't'], description: 'Go to Notifications', to: '/settings/notifications' },
  { keys: ['g', 'u'], description: 'Go to Audit log', to: '/settings/audit' },
  { keys: ['g', 'a'], description: 'Go to Account', to: '/account' },
  { keys: ['/'], description: 'Search on this page', to: undefined, action: 'search' },
  { keys: ['j'], description: 'Next row of a list', to: undefined, action: 'next' },
  { keys: ['k'], description: 'Row before', to: undefined, action: 'previous' },
  { keys: ['?'], description: 'Show the shortcuts', to: undefined, action: 'help' },
] as const;

export type Shortcut = (typeof shortcuts)[number];

const SEQUENCE_MILLISECONDS = 1_000;

/** Finds the shortcut that a sequence of pressed keys completes. */
export function createShortcutMatcher() {
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
