import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import type { Run } from './simulate.ts';

/**
 * `npm run simulate`: runs the rules of ordering and recovery in seeded worlds, with crashes at random steps
 * (docs/simulation.md).
 *
 *   npm run simulate                    worlds with at least 100,000 calls
 *   npm run simulate -- --calls 5000    worlds with at least 5,000 calls
 *   npm run simulate -- --from 4000     worlds with the seeds from 4000 on
 *   npm run simulate -- --seed 17       one world again, with the steps before a broken promise
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    calls: { type: 'string', default: '100000' },
    /** Requests and lead events of a world. */
    requests: { type: 'string', default: '60' },
  },
});
const requests = wholeNumber('requests', 1);

// Start-up takes a third of a replay's time, and the compiler takes half of that.
enableCompileCache();
const { simulate } = await import('./simulate.ts');
// Refused writes are normal here, and their stack traces are slow to create.
Error.stackTraceLimit = 0;
process.exit(
  values.seed === undefined
    ? await runMany(wholeNumber('from'), wholeNumber('calls', 1))
    : await replay(wholeNumber('seed')),
);

/** Reads an option. Ends the program with a sentence if the value is not a whole number. */
function wholeNumber(option: keyof typeof values, least = 0): number {
  const text = values[option] ?? '';
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  console.error(`--${option} is a whole number of at least ${least}, not ${text}.`);
  process.exit(2);
}

async function replay(seed: number): Promise<number> {
  const started = performance.now();
  const run = await simulate(seed, { requests, isTraced: true });
  if (run.violation) console.log(`${run.steps.join('\n')}\n`);
  console.log(`${describe(run)} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return run.violation ? 1 : 0;
}

async function runMany(from: number, calls: number): Promise<number> {
  const started = performance.now();
  const total = { seeds: 0, calls: 0, rings: 0, delayed: 0, crashes: 0, errors: 0, redriven: 0, violations: 0 };
  const print = () => {
    const seconds = (performance.now() - started) / 1000;
    const cpu = process.cpuUsage();
    const cpuSeconds = (cpu.user + cpu.system) / 1e6;
    const counts = Object.entries(total).map(([name, count]) => `${count} ${name}`);
    console.log(
      `${counts.join(', ')}; ${seconds.toFixed(0)} s, ${(total.calls / cpuSeconds).toFixed(0)} calls per CPU second`,
    );
  };
  for (let seed = from; total.calls < calls; seed += 1) {
    const run = await simulate(seed, { requests });
    total.seeds += 1;
    for (const name of ['calls', 'rings', 'delayed', 'crashes', 'errors', 'redriven'] as const)
      total[name] += run[name];
    if (run.violation) {
      total.violations += 1;
      console.log(`${describe(run)}\n  after ${total.calls} calls; npm run simulate -- --seed ${seed}`);
    }
    if (total.seeds % 50 === 0) print();
  }
  print();
  return total.violations === 0 ? 0 : 1;
}

function describe({ seed, violation, calls, rings, crashes, dialMessages, hours, failureLevel }: Run): string {
  const facts = `${calls} calls, ${rings} rings, ${crashes} crashes, failure level ${failureLevel}, ${hours.toFixed(1)} virtual hours`;
  const broken = violation ? `\n  BROKEN ${violation.oracle}: ${violation.text}` : '';
  return `seed ${seed}: ${facts}, at most ${dialMessages} dial messages for a call${broken}`;
}
