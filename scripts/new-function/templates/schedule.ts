import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const schedule = (plan: Plan): Template => {
  const { name, camel, pascal } = plan;
  return {
    folder: 'schedules',
    entry: `
${operationImport(plan, '../../')}
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';

export const handler = scheduledTask(({ now }) => ${camel}({ now }));
`,
    operation: `
type ${pascal}Report = { as_of: string };

/** Reports the instant that the run uses. */
export async function ${camel}(deps: { now: () => Date }): Promise<${pascal}Report> {
  return { as_of: deps.now().toISOString() };
}
`,
    unitTest: unitTestOf(
      plan,
      `
  it('reports the instant of the run', async () => {
    expect(await ${camel}({ now: () => new Date(0) })).toEqual({ as_of: '1970-01-01T00:00:00.000Z' });
  });`,
    ),
    e2eTest: `
import { runSchedule } from '../../support/stack/stack.ts';

describe('${name}', () => {
  it('reports the instant of the run', async () => {
    expect(await runSchedule('${name}')).toEqual({ as_of: expect.any(String) });
  });
});
`,
    row: `
    entry: 'schedules/${name}',
    trigger: { kind: 'schedule', everyMinutes: 60 },
    uses: {},
    ifItFails: 'The next run, an hour later, does its work.',`,
    docs: ['every hour', 'nothing'],
  };
};
