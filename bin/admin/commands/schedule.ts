import type { Cloud } from '../cloud/cloud.ts';
import { runScheduled, scheduledFunctions } from '../cloud/scheduled.ts';
import { noteOperatorAction } from '../cloud/stage-log.ts';
import { facts } from '../output.ts';
import { instant, oneOf } from '../values.ts';
import { type Answer, type Invocation, type Noun, optional, verb } from '../verb.ts';

export const schedule: Noun = {
  name: 'schedule',
  summary: 'Functions that run on a schedule',
  verbs: [
    verb<{ asOf?: string }>({
      usage: 'run <name>',
      summary: `Runs a scheduled function now and shows its report: ${scheduledFunctions.join(', ')}`,
      options: [
        optional('--as-of <instant>', 'instant to run as of; in the future only on the local stage (default: now)'),
      ],
      act: run,
    }),
  ],
};

async function run(cloud: Cloud, flags: { asOf?: string }, { argument }: Invocation): Promise<Answer> {
  const name = oneOf('The schedule', argument, scheduledFunctions);
  const asOf = flags.asOf === undefined ? cloud.now().toISOString() : instant('--as-of', flags.asOf);
  await noteOperatorAction(cloud, 'schedule.run', name, { as_of: asOf });
  const report = await runScheduled(cloud, name, asOf);
  return { json: report, people: `${name} ran as of ${asOf}.\n\n${facts({ ...report })}` };
}
