import { type Connection, whyOff } from '../../domain/connections/connection.ts';
import type { SwitchOff } from '../../messages/switch-off.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ReportSwitchOffDeps = { switchOffs: Pick<QueueSender<SwitchOff>, 'sendMany'> };

export type ConnectionChange = { sequenceNumber: string; before: Connection | undefined; after: Connection };

/**
 * Sends a message for each connection that was switched off or disconnected, so that cancel-calls cancels its calls
 * (docs/call-lifecycle.md, "Switching off"). The stream never waits for the calls.
 * @returns undefined once every change is processed
 * @throws if the queue refuses a message; the stream then redelivers the changes
 */
export async function reportSwitchOff(
  { switchOffs }: ReportSwitchOffDeps,
  changes: readonly ConnectionChange[],
): Promise<undefined> {
  const ids = changes.filter(isSwitchedOff).map(({ after }) => after.connection_id);
  if (ids.length > 0) await switchOffs.sendMany([...new Set(ids)].map((connection_id) => ({ connection_id })));
}

const isSwitchedOff = ({ before, after }: ConnectionChange): boolean =>
  before !== undefined && whyOff(before) === undefined && whyOff(after) !== undefined;
