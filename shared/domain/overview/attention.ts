import type { Connection } from '../connections/connection.ts';
import { isConnected } from '../connections/connection.ts';
import { type BrokenStatus, connectionHealth } from '../connections/connection-health.ts';
import { withoutEffect } from '../connections/crm-b-settings.ts';
import type { LeadState } from '../leads/lead-states.ts';
import { DEFAULT_MAX_DURATION_SECONDS } from '../organizations/assistants/assistant-defaults.ts';
import { toCredits } from '../organizations/credit.ts';
import type { Organization } from '../organizations/organization.ts';

/** Outcomes whose obstacle a person can remove. Most of these leads can then be retried. */
export const stoppedOutcomes = ['insufficient_credits', 'crm_unavailable', 'assistant_missing'] as const;
type StoppedOutcome = (typeof stoppedOutcomes)[number];

type OfConnection = Pick<Connection, 'connection_id' | 'type'>;

/** A task for a person (docs/dashboard.md, "Overview"). Credit is in credits. */
export type Attention =
  | { kind: 'suspended' }
  | { kind: 'low_credit'; available: number; warn_below: number | null }
  | { kind: 'daily_limit'; limit: number; spent: number }
  | ({ kind: 'broken_connection'; status: BrokenStatus; reason: string } & OfConnection)
  | ({ kind: 'incomplete_connection'; lacks: 'assistant' | 'owner' } & OfConnection)
  | ({ kind: 'setting_without_effect'; sentence: string } & OfConnection)
  | ({ kind: 'leads_not_called'; outcome: StoppedOutcome; leads: number; since: string } & OfConnection)
  | { kind: 'failed_callbacks'; calls: number }
  | { kind: 'waiting_call'; call_id: string };

/**
 * Returns an item if the daily limit leaves too little for a call of usual length, so that calls begin to wait.
 * @param spent today's units, including the maximum cost of open calls.
 */
export function limitAttention({ daily_limit, rate }: Pick<Organization, 'daily_limit' | 'rate'>, spent: number) {
  if (daily_limit === undefined || spent + rate * USUAL_MINUTES <= daily_limit) return [];
  return [{ kind: 'daily_limit' as const, limit: toCredits(daily_limit), spent: toCredits(spent) }];
}

const USUAL_MINUTES = DEFAULT_MAX_DURATION_SECONDS / 60;

/**
 * Returns the items about credit: a suspension, and available credit below the threshold or, without one, below a
 * minute's cost.
 */
export function creditAttention(
  org: Pick<Organization, 'available' | 'rate' | 'warn_below' | 'suspended_at'>,
): Attention[] {
  const { available, rate, warn_below } = org;
  const isLow = available < (warn_below ?? rate);
  return [
    ...(org.suspended_at === undefined ? [] : [{ kind: 'suspended' as const }]),
    ...(isLow
      ? [
          {
            kind: 'low_credit' as const,
            available: toCredits(available),
            warn_below: warn_below === undefined ? null : toCredits(warn_below),
          },
        ]
      : []),
  ];
}

/** Returns the connections' items, broken ones first. Leaves out disconnected ones. */
export function connectionAttention(connections: readonly Connection[]): Attention[] {
  const connected = connections.filter(isConnected);
  const broken = connected.flatMap((connection): Attention[] => {
    const health = connectionHealth(connection);
    if (health.status === 'healthy' || health.status === 'not_connected') return [];
    return [{ kind: 'broken_connection', ...idOf(connection), ...health }];
  });
  const calling = connected.filter(({ type, auto_call }) => type !== 'help-desk' && auto_call);
  const incomplete = calling.flatMap((connection): Attention[] => {
    const { assistant_id, trigger_owner_user_id } = connection;
    const lacks = assistant_id === undefined ? 'assistant' : trigger_owner_user_id === undefined ? 'owner' : undefined;
    return lacks ? [{ kind: 'incomplete_connection', ...idOf(connection), lacks }] : [];
  });
  const idle = connected.flatMap((connection) =>
    withoutEffect(connection).map(
      (sentence): Attention => ({ kind: 'setting_without_effect', ...idOf(connection), sentence }),
    ),
  );
  return [...broken, ...incomplete, ...idle];
}

/**
 * Returns the leads stopped by an obstacle that a person can remove, by connection and outcome.
 * @param since the first IST day that the states cover
 */
export function leadAttention(
  states: readonly LeadState[],
  connections: readonly OfConnection[],
  since: string,
): Attention[] {
  const stopped = states.flatMap(({ connection_id, state, outcome }) => {
    const connection = connections.find((one) => one.connection_id === connection_id);
    return connection && state === 'not_called' && isStopped(outcome) ? [{ ...idOf(connection), outcome }] : [];
  });
  const same = Map.groupBy(stopped, ({ connection_id, outcome }) => `${connection_id} ${outcome}`);
  return [...same.values()].flatMap((leads): Attention[] =>
    leads[0] ? [{ kind: 'leads_not_called', ...leads[0], leads: leads.length, since }] : [],
  );
}

const isStopped = (outcome: string): outcome is StoppedOutcome =>
  (stoppedOutcomes as readonly string[]).includes(outcome);

const idOf = ({ connection_id, type }: OfConnection): OfConnection => ({ connection_id, type });
