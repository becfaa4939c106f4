import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../../integrations/crm-b/watch.ts';

export type StopChannelDeps = {
  watch: Pick<CrmBWatch, 'stop'>;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/**
 * Stops an obsolete watch channel at CRM-B. A failure is only logged, because the next check finds the channel again.
 * @returns whether the channel has ended
 */
export async function stopChannel(
  deps: StopChannelDeps,
  { connection_id }: Connection,
  access: CrmBAccess,
  channelId: string,
): Promise<boolean> {
  const outcome = await deps.watch
    .stop(access, channelId)
    .catch(({ message }: Error) => ({ kind: 'refused' as const, reason: message }));
  if (outcome.kind === 'stopped' || outcome.kind === 'gone') return true;
  deps.warn('a watch channel could not be stopped', { connection_id, reason: outcome.reason });
  return false;
}
