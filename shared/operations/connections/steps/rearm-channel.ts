import type { ConnectedCrmB } from '../../../domain/connections/connection.ts';
import { gapStart } from '../../../domain/connections/deliveries/watch-channel.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import { type ArmChannelDeps, armChannel } from '../arm-channel.ts';

export type RearmChannelDeps = ArmChannelDeps & {
  channels: Pick<ConnectionChannelStore, 'openGap'>;
};

/**
 * Arms a new channel in place of a dead, missing or silent one. Stores the start of the gap first, so that it is caught
 * up on even if this run dies.
 * @returns whether the connection has a new channel
 */
export async function rearmChannel(deps: RearmChannelDeps, connection: ConnectedCrmB): Promise<boolean> {
  const { connection_id } = connection;
  await deps.channels.openGap(connection_id, gapStart(connection, deps.now()));
  return armChannel(deps, connection_id, { keepsFormer: true });
}
