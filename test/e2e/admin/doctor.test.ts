import { ask, type Body } from '../../support/admin/cli.ts';

describe('admin doctor', () => {
  it('finds no problem in the local stage', async () => {
    const { body } = await ask('doctor', '--try-model');
    expect(body.findings.map(({ check }: Body) => check)).toEqual(
      expect.arrayContaining(['clock', 'number', 'model answer']),
    );
    // Other tests have connections of data centers without a client.
    const wrong = body.findings.filter(({ check, status }: Body) => status !== 'ok' && check !== 'secrets');
    expect(wrong).toEqual([]);
  });
});
