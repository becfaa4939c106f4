import { type Counts, untilIdle } from '../../../support/stack/idle.ts';

/** Reads the counts in their order, and the last ones again and again. */
const reading = (...all: Counts[]) => jest.fn(async () => (all.length > 1 ? all.shift() : all[0]) ?? {});

describe('the wait for idle workers', () => {
  it('ends after two reads in a row without work', async () => {
    const read = reading({ messages: 0 }, { messages: 1 }, { messages: 0, changes: 0 });
    await untilIdle(read, 60);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('fails with the work that does not end', async () => {
    const busy = untilIdle(reading({ messages: 2, changes: 0 }), 0.1);
    await expect(busy).rejects.toThrow('still under way after 0.1 s: {"messages":2,"changes":0}');
  });
});
