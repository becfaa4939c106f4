import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { checkWatchChannels } from '../../../../shared/operations/connections/check-watch-channels.ts';
import { ist, MONDAY } from './items.ts';
import type { LeadWorld } from './lead-world.ts';
import { PUBLIC_URL } from './world.ts';

/** An armed watch channel. */
export const CHANNEL = { id: '1', armed_at: ist(MONDAY, '08:00'), expires_at: '2026-03-08T00:00:00.000Z' };

/** A change of a lead in CRM-B. */
export type LeadChange = { id: string; created_at: string; modified_at: string };

type Crm = {
  isDown: (connectionId: string) => boolean;
  /** The changes of the connection's leads, the earliest first. */
  changesOf: (connectionId: string) => readonly LeadChange[];
};

const DOWN = { kind: 'unavailable', reason: 'down' };

/** Returns a run of check-watch-channels for connections whose channel is `CHANNEL`. */
export function channelCheck({ deps }: LeadWorld, { isDown, changesOf }: Crm) {
  const list = async (connectionId: string) => {
    const notify_url = `${PUBLIC_URL}/api/webhooks/crm-b/${connectionId}`;
    return isDown(connectionId) ? DOWN : { kind: 'listed', channels: [{ notify_url, isComplete: true, ...CHANNEL }] };
  };
  const leadsChanged = async (connectionId: string, { from, to }: { from: Date; to: Date }, most: number) => {
    if (isDown(connectionId)) return DOWN;
    const [first, last] = [from.toISOString(), to.toISOString()];
    const leads = changesOf(connectionId).filter(({ modified_at }) => modified_at >= first && modified_at <= last);
    return { kind: 'found', leads: leads.slice(0, most), complete: leads.length <= most };
  };
  const accessTo = ({ connection_id }: Connection) => connection_id;
  return () => checkWatchChannels({ ...deps, accessTo, watch: { list }, leadsChanged, timeLeftMs: () => 1e6 } as never);
}
