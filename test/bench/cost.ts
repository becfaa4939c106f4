import { haveBundles, synthesize } from '../infra/support/synthesize.ts';
import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';
import { idleOf } from './cost/idle.ts';
import { between, billOfAll, billsOf, metricsIn, type Reading } from './cost/meter.ts';
import { type Bill, totalOf } from './cost/prices.ts';
import { idleTable, kindsTable, measuredTable, pricesTable, requestsTable } from './cost/tables.ts';

/**
 * `npm run cost`: counts in a local cloud what AWS charges for one call of each kind and for the schedules of an idle
 * month, counts in the templates the resources that AWS charges for while they exist, and prices both (docs/cost.md).
 */
const WARM_UP = 2;
const ROUNDS = 4;
const HOURS = 30 * 24;

await haveBundles();
// The defaults of a stage with real data.
const app = synthesize('prod');
const idle = idleOf(app);
const memories = new Map<string, number>(
  app.ofType('AWS::Lambda::Function').map(({ Properties }) => [Properties.FunctionName, Properties.MemorySize]),
);
const memoryOf = (name: string): number => memories.get(`calling-service-prod-${name}`) ?? 128;

await startStack();
try {
  const { environment, named, pauseRecovery, runSchedule, workersAreIdle } = await import('../support/stack/stack.ts');
  await pauseRecovery();
  const read = async (): Promise<Reading> => {
    const answer = await fetch(`${environment.emulator_url}/_ministack/meter`);
    const reading = (await answer.json()) as Reading;
    return Object.fromEntries(
      Object.entries(reading).map(([name, units]) => [name.replace(named.function(''), ''), units]),
    );
  };
  const countedOf = async (once: () => Promise<unknown>, warmUp = WARM_UP, rounds = ROUNDS): Promise<Reading> => {
    for (let round = 0; round < warmUp; round += 1) await once();
    const before = await read();
    for (let round = 0; round < rounds; round += 1) await once();
    return between(before, await read(), rounds);
  };
  await read();

  const scheduled: Record<string, Reading> = {};
  for (const name of Object.keys(idle.runs))
    scheduled[name] = await countedOf(async () => {
      await runSchedule(name as Parameters<typeof runSchedule>[0]);
      await workersAreIdle();
    });

  const { kindsOfWork } = await import('./cost/kinds.ts');
  const { kinds, requests, stop } = await kindsOfWork();
  const counted: Record<string, Reading> = {};
  const answered: Record<string, Reading> = {};
  try {
    for (const { name, by, all } of requests) {
      // Excludes the workers that continue the function's work.
      const { [by]: own = {} } = await countedOf(all, 0, 1);
      answered[name] = { [by]: own };
    }
    for (const { name, once } of kinds) counted[name] = await countedOf(once);
  } finally {
    stop();
  }

  const bills = Object.fromEntries(Object.entries(counted).map(([name, one]) => [name, billsOf(one, memoryOf)]));
  const oneOf = (reading: Reading | undefined, name: string): Bill => {
    const bill = reading && billsOf(reading, memoryOf)[name];
    if (!bill?.invocations) throw new Error(`${name} did not run`);
    return totalOf([[bill, 1 / bill.invocations]]);
  };
  const runs = Object.entries(scheduled).map(([name, one]) => ({
    name,
    runs: idle.runs[name] ?? 0,
    bill: billOfAll(billsOf(one, memoryOf)),
    // A metric costs nothing in an hour in which no function writes it.
    metrics: metricsIn(one).length * Math.min(1, (idle.runs[name] ?? 0) / HOURS),
  }));
  const metrics = runs.reduce((sum, { metrics: written }) => sum + written, 0);
  console.log(
    [
      '## A million requests',
      requestsTable({
        ...Object.fromEntries(requests.map(({ name, by }) => [`${name} (\`${by}\`)`, oneOf(answered[name], by)])),
        'messages of the voice platform (`receive-voice-message`)': oneOf(
          counted['a call by REST'],
          'receive-voice-message',
        ),
      }),
      '## A call of each kind',
      kindsTable(Object.fromEntries(Object.entries(bills).map(([name, one]) => [name, billOfAll(one)]))),
      '## An idle month',
      idleTable(
        idle,
        runs,
        totalOf([[idle.bill, 1], [{ metrics }, 1], ...runs.map(({ bill, runs }) => [bill, runs] as const)]),
      ),
      '## The time of an invocation',
      measuredTable({ ...scheduled, ...answered, ...counted }, memoryOf),
      '## The prices',
      pricesTable(),
    ].join('\n\n'),
  );
} finally {
  await stopStack();
}
