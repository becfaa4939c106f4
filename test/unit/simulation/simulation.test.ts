import { simulate } from '../../simulation/simulate.ts';

/** Each test run uses a new world, too. Replay it with `npm run simulate -- --seed N --requests 40`. */
const newSeed = Math.floor(Math.random() * 2 ** 31);

describe('a simulated world with crashes keeps the promises of docs/simulation.md', () => {
  it.each([2, 3, 4, 122, newSeed])('with the seed %i', async (seed) => {
    const { violation } = await simulate(seed, { requests: 40 });
    expect({ seed, violation }).toEqual({ seed, violation: undefined });
  });
});
