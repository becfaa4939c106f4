import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Send } from './database.ts';

type Repeating = {
  /**
   * Runs work, and repeats one of its writes as the SDK does.
   * @param write the number of the repeated write, from 1
   * @returns whether the work reached that write
   */
  repeating(write: number, work: () => Promise<unknown>): Promise<boolean>;
};

/**
 * Counts single writes, and repeats a chosen one as the SDK does if its answer is lost: the caller gets the answer of
 * the repeat. Transactions are not counted: their token makes a repeat a no-op.
 */
export function repetition(send: Send): { send: Send } & Repeating {
  let writes = 0;
  let chosen: number | undefined;
  return {
    send: async (command: object) => {
      const isWrite = [PutCommand, UpdateCommand, DeleteCommand].some((kind) => command instanceof kind);
      if (isWrite) writes += 1;
      const isRepeated = isWrite && writes === chosen;
      const answer = await send(command as never);
      return isRepeated ? send(command as never) : answer;
    },
    async repeating(write, work) {
      [writes, chosen] = [0, write];
      await work();
      chosen = undefined;
      return writes >= write;
    },
  };
}

/** Yields a world for every write of a run that the SDK may repeat, and finally one without a repeat. */
export async function* worldThatRepeats<World extends Repeating>(
  begin: () => World | Promise<World>,
  run: (world: World) => Promise<unknown>,
): AsyncGenerator<[world: World, repeated: string]> {
  for (let write = 1; ; write += 1) {
    const world = await begin();
    const isReached = await world.repeating(write, () => run(world));
    yield [world, isReached ? `write ${write}` : 'no write'];
    if (isReached) continue;
    if (write === 1) throw new Error('the run made no write');
    return;
  }
}
