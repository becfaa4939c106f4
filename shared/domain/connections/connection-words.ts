import type { ConnectionHealth } from './connection-health.ts';
import type { ConnectionType } from './connection-type.ts';

/** The names of the connections, on pages and in e-mails. */
export const connectionNames: Readonly<Record<ConnectionType, string>> = {
  'crm-a': 'CRM-A',
  'crm-b': 'CRM-B',
  'help-desk': 'Help desk',
};

export type BrokenStatus = Exclude<ConnectionHealth['status'], 'healthy' | 'not_connected'>;

/** The problem of a connection; follows its name and a colon. */
export const brokenSentences: Readonly<Record<BrokenStatus, string>> = {
  needs_reconnect: 'its consent has ended, so no lead comes in and nothing is written there.',
  unhealthy: 'its last check failed. Leads may come in late until it works again.',
  silent: 'it delivers no leads, although some should have come.',
  rejecting: 'its last delivery was refused.',
};
