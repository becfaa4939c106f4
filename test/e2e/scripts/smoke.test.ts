import type { Script } from '../../../local/simulators/voice/scripts.ts';
import { spawned } from '../../support/admin/spawned.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { environment, voice } from '../../support/stack/stack.ts';

const run = ({ apiKey, assistantId }: TestOrg, phone: string, more: Record<string, string> = {}) =>
  spawned([process.execPath, 'scripts/smoke.ts'], {
    variables: {
      SMOKE_URL: environment.base_url,
      SMOKE_API_KEY: apiKey,
      SMOKE_ASSISTANT_ID: assistantId,
      SMOKE_NUMBER: phone,
      ...more,
    },
  });

async function aPhone(script: Script): Promise<string> {
  const phone = aPhoneNumber();
  await voice.script(phone, script);
  return phone;
}

describe('npm run smoke', () => {
  it('exits with 0 once a call was answered and charged, and places no second call for the same id', async () => {
    const org = await anOrg({ credits: 100 });
    const phone = await aPhone({ behaviour: 'answer' });
    const both = await Promise.all([run(org, phone, { SMOKE_ID: 'a' }), run(org, phone, { SMOKE_ID: 'a' })]);
    const calls = await stores.calls.listOfOrg(org.orgId, { limit: 10 });
    expect(calls).toHaveLength(1);
    const said = expect.stringMatching(new RegExp(`^${calls[0]?.call_id} was answered: \\d+ s, charged \\d+\\.\\n$`));
    expect(both).toEqual(Array(2).fill({ code: 0, stdout: said, stderr: '' }));
    await expectBalancedBooks(org.orgId);
  });

  it('exits with 1 and names the failure, without the number or the key', async () => {
    const [org, waiting] = await Promise.all([anOrg({ credits: 100 }), anOrg({ limits: { max_live_calls: 0 } })]);
    const busy = await aPhone({ behaviour: 'busy' });
    const failed = await Promise.all([
      run(org, busy),
      run(waiting, busy, { SMOKE_SECONDS: '2' }),
      run({ ...org, apiKey: `${org.apiKey}x` }, busy),
      run(org, busy, { SMOKE_URL: 'http://127.0.0.1:1', SMOKE_SECONDS: '1' }),
    ]);
    expect(failed.map(({ code, stdout }) => [code, stdout])).toEqual(Array(4).fill([1, '']));
    const begin = 'The deployment does not work: ';
    expect(failed.map(({ stderr }) => stderr.replace(/call_\w{32}/, 'CALL'))).toEqual([
      expect.stringContaining(`${begin}CALL ended as busy`),
      expect.stringMatching(/CALL is still queued after 2 s\.\n$/),
      `${begin}POST /v1/calls/outbound is answered with 401 invalid_api_key.\n`,
      expect.stringContaining(`${begin}POST /v1/calls/outbound is not answered: `),
    ]);
    expect(JSON.stringify(failed)).not.toMatch(new RegExp(`${busy.slice(1)}|${org.apiKey}|${waiting.apiKey}`));
  });

  it('exits with 2 and names the missing settings', async () => {
    const { code, stderr } = await spawned([process.execPath, 'scripts/smoke.ts']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/SMOKE_URL[\s\S]*SMOKE_NUMBER/)]);
  });
});
