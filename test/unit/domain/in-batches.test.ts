import { inBatches } from '../../../shared/domain/in-batches.ts';

describe('work in batches', () => {
  it('takes every item once, no more than allowed at once, and keeps their order', async () => {
    for (const length of [0, 1, 3, 4, 7]) {
      let running = 0;
      let most = 0;
      const items = Array.from({ length }, (_, index) => index);
      const results = await inBatches(items, 3, async (item) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return item * 2;
      });
      expect(results).toEqual(items.map((item) => item * 2));
      expect(most).toBe(Math.min(length, 3));
    }
  });

  it('begins no further batch after a failure', async () => {
    const begun: number[] = [];
    const working = inBatches([1, 2, 3], 2, async (item) => {
      begun.push(item);
      throw new Error('x');
    });
    await expect(working).rejects.toThrow('x');
    expect(begun).toEqual([1, 2]);
  });
});
