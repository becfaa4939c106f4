import { parseArgs } from 'node:util';
import { type Run, simulate } from './simulate.ts';

/**
 * `npm run simulate`: runs the rules of ordering and recovery in seeded worlds, with crashes at random steps.
 *
 *   npm run simulate                    at least 100,000 calls
 *   npm run simulate -- --calls 5000    at least as many
 *   npm run simulate -- --seed 17       one world again, with the steps before a broken promise
 *   npm run simulate -- --from 4000     with seeds from 4000 on
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    calls: { type: 'string', default: '100000' },
  },
});

process.exit(
  values.seed === undefined
    ? await runMany(Number(values.from), Number(values.calls))
    : await replay(Number(values.seed)),
);

async function replay(seed: number): Promise<number> {
  const started = performance.now();
  const run = await simulate(seed, { isTraced: true });
  if (run.violation) console.log(`${run.steps.join('\n')}\n`);
  console.log(describe(run));
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  return run.violation ? 1 : 0;
}

async function runMany(from: number, calls: number): Promise<number> {
  const started = performance.now();
  const total = { seeds: 0, calls: 0, rings: 0, crashes: 0, failures: 0, redriven: 0, violations: 0 };
  const print = () => {
    const seconds = (performance.now() - started) / 1000;
    const counts = Object.entries(total).map(([name, count]) => `${count} ${name}`);
    console.log(`${counts.join(', ')} in ${seconds.toFixed(0)} s (${(total.calls / seconds).toFixed(0)} calls/s)`);
  };
  for (let seed = from; total.calls < calls; seed += 1) {
    const run = await simulate(seed);
    total.seeds += 1;
    for (const name of ['calls', 'rings', 'crashes', 'failures', 'redriven'] as const) total[name] += run[name];
    if (run.violation) {
      total.violations += 1;
      console.log(`${describe(run)}\n  after ${total.calls} calls; npm run simulate -- --seed ${seed}`);
    }
    if (total.seeds % 50 === 0) print();
  }
  print();
  return total.violations === 0 ? 0 : 1;
}

function describe({ seed, violation, calls, rings, crashes, dialMessages, hours, storm }: Run): string {
  const facts = `${calls} calls, ${rings} rings, ${crashes} crashes, storm ${storm}, ${hours.toFixed(1)} virtual hours, at most ${dialMessages} dial messages for a call`;
  return `seed ${seed}: ${facts}${violation ? `\n  BROKEN ${violation.oracle}: ${violation.text}` : ''}`;
}
