import type { BrokenStatus } from './connection-health.ts';
import type { ConnectionType } from './connection-type.ts';

/** The names of the connections, on pages and in e-mails. */
export const connectionNames: Readonly<Record<ConnectionType, string>> = {
  'crm-a': 'CRM-A',
  'crm-b': 'CRM-B',
  'help-desk': 'Help desk',
};

/** The problem of a connection; follows its name and a colon. */
export const brokenSentences: Readonly<Record<BrokenStatus, string>> = {
  needs_reconnect: 'its consent has ended, so it delivers no leads and accepts no entries.',
  unhealthy: 'it does not work as it should. Until it does, leads may be late and tickets may be missing.',
  silent: 'it delivers no leads, although leads were expected.',
  rejecting: 'its last delivery was refused.',
};
