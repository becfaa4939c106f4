import { filesBelow } from '../infra/support/sources.ts';
import { isCommandRun } from '../support/admin/command-matches.ts';
import { commandsOf } from '../support/admin/documented-commands.ts';
import { readSeenCommands } from '../support/admin/seen-commands.ts';

const runbooks = filesBelow('docs/runbooks', '.md');

describe('the commands of the runbooks', () => {
  const commands = runbooks.flatMap(commandsOf);

  it('were run successfully by tests of other suites, with their flags and values', () => {
    expect(commands.length).toBeGreaterThan(150);
    const seen = readSeenCommands();
    const unrun = commands.filter(({ command }) => !seen.some((run) => isCommandRun(command, run)));
    expect([...new Set(unrun.map(({ command, page }) => `${command} (${page})`))].sort()).toEqual([]);
  });

  it('are reported if a value, a flag or a JSON key differs, which proves that this test can fail', () => {
    const run = ['connection', 'update', '--connection', 'conn_1', '--auto-call', 'off', '--json'];
    expect(isCommandRun('connection update --connection CONNECTION_ID --auto-call off', run)).toBe(true);
    expect(isCommandRun('connection update --connection CONNECTION_ID', run)).toBe(true);
    expect(isCommandRun('connection update --connection CONNECTION_ID --auto-call on', run)).toBe(false);
    expect(isCommandRun('connection update --connection CONNECTION_ID --owner ID', run)).toBe(false);
    expect(isCommandRun('connection show --connection CONNECTION_ID', run)).toBe(false);
    expect(isCommandRun('schedule run recover-calls', ['schedule', 'run', 'sunday-sweep'])).toBe(false);
    const settings = ['connection', 'update', '--settings', '{"orgId":"7"}'];
    expect(isCommandRun(`connection update --settings '{"orgId": "ID"}'`, settings)).toBe(true);
    expect(isCommandRun(`connection update --settings '{"departmentId": "ID"}'`, settings)).toBe(false);
  });
});
