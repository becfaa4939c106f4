import { type Connection, isConnected } from './connection.ts';
import { connectionHealth } from './connection-health.ts';
import { organizationOf } from './help-desk-organization.ts';

/** The setup steps, each proved by a fact. */
export const setUpSteps = [
  'token',
  'consent',
  'channel',
  'assistant',
  'owner',
  'organization',
  'department',
  'delivery',
] as const;
export type SetUpStep = (typeof setUpSteps)[number];

/** A connection's next step: a step of its setup, or a fix for something that has broken since. */
export const nextSteps = [...setUpSteps, 'reconnect', 'check_token', 'check_channel', 'wait_for_channel'] as const;
export type NextStep = (typeof nextSteps)[number];

const stepsOf: Record<Connection['type'], readonly SetUpStep[]> = {
  // The owner's id is easiest to find in the first lead.
  'crm-a': ['token', 'assistant', 'delivery', 'owner'],
  'crm-b': ['consent', 'channel', 'assistant', 'owner', 'delivery'],
  'help-desk': ['consent', 'organization', 'department'],
};

/** Returns a connection's setup steps, in order. */
export const setUpOf = (connection: Connection): { step: SetUpStep; is_done: boolean }[] =>
  stepsOf[connection.type].map((step) => ({ step, is_done: isDone(step, connection) }));

function isDone(step: SetUpStep, connection: Connection): boolean {
  switch (step) {
    case 'token':
    case 'consent':
      return isConnected(connection);
    case 'channel':
      return connection.channel !== undefined;
    case 'assistant':
      return connection.assistant_id !== undefined;
    case 'owner':
      return connection.trigger_owner_user_id !== undefined;
    case 'organization':
      return organizationOf(connection).kind === 'chosen';
    case 'department':
      return connection.settings?.departmentId !== undefined;
    case 'delivery':
      return connection.last_delivery_at !== undefined;
  }
}

/** Returns a connection's next step; undefined if it works. */
export function nextStepOf(connection: Connection): NextStep | undefined {
  if (isConnected(connection)) {
    if (connection.reconnect_needed) return 'reconnect';
    const { status } = connectionHealth(connection);
    if (status === 'rejecting') return connection.type === 'crm-a' ? 'check_token' : 'check_channel';
    if (status === 'silent') return 'check_channel';
    if (status === 'unhealthy' && connection.type === 'crm-b') return 'wait_for_channel';
  }
  return setUpOf(connection).find(({ is_done }) => !is_done)?.step;
}
