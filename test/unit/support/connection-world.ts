import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { aWorld } from './world.ts';

/** A stored connection that a test reads and replaces. */
export function connectionWorld(stored: Connection | undefined) {
  const world = aWorld(stored ? { connections: [stored] } : {});
  return Object.assign(world, {
    table: {
      get connection(): Connection | undefined {
        return world.all('connections')[0] as Connection | undefined;
      },
      set connection(next: Connection | undefined) {
        for (const item of world.all('connections')) world.remove('connections', item);
        if (next) world.put('connections', next);
      },
    },
  });
}
