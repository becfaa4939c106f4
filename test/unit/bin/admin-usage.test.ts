import { askOffline, runOffline } from '../../support/admin/offline-admin.ts';

describe('admin', () => {
  it.each([
    'org show',
    'org show --org',
    'org show --org --json',
    'org show --org org1 --colour red',
    'org show --org org1 more',
    'org update --org org1',
    'assistant update --assistant asst1',
    'connection update --connection conn1',
    'connection retry --connection conn1 --outcome insufficient_credits',
    'org bogus',
    'bogus',
    'schedule run',
    'org',
  ])('ends with 2 on wrong usage: %s', async (command) => {
    const { code, body } = await askOffline(command.split(' '));
    expect([code, body]).toEqual([2, { error: 'wrong_usage', message: expect.stringMatching(/^(?!error:)\S/) }]);
  });

  it('writes wrong usage only to standard error unless JSON is requested', async () => {
    expect(await runOffline(['org', 'update', '--org', 'org1'])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: nothing to change: give at least one of .*\n\(see --help\)\n$/),
    });
  });

  it.each([
    ['--help', /Dialing on the whole stage/],
    ['org --help', /Adds credit, or takes it back/],
    ['org create --help', /--rate <n> +credits per started minute \(default: 1\)/],
    ['schedule run --help', /recover-calls/],
  ])('shows help without a cloud: %s', async (command, text) => {
    expect(await runOffline(command.split(' '))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(text),
      stderr: '',
    });
  });
});
