import { gapStart } from '../../../domain/connections/watch-channel.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import { type ArmChannelDeps, armChannel } from '../arm-channel.ts';
import type { ConnectionWithGrant } from './run-over-connections.ts';

export type RearmChannelDeps = ArmChannelDeps & {
  channels: Pick<ConnectionChannelStore, 'openGap'>;
};

/**
 * Arms a channel anew that was found dead, missing or silent. Since when changes were missed is written down first, so that
 * they are caught up on whatever becomes of this run.
 */
export async function rearmChannel(deps: RearmChannelDeps, connection: ConnectionWithGrant): Promise<boolean> {
  const { connection_id } = connection;
  await deps.channels.openGap(connection_id, gapStart(connection, deps.now()));
  return armChannel(deps, connection_id, { keepsFormer: true });
}
