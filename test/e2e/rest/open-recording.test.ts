import { recordingLink } from '../../../shared/domain/after-call/recording-link.ts';
import { keyReader } from '../../../shared/stores/secrets.ts';
import { done } from '../../support/admin/cli.ts';
import { AUDIO, anEndedCall } from '../../support/calls/finished-call.ts';
import { anOrg } from '../../support/organizations/orgs.ts';
import { expectDescribed } from '../../support/rest/contract.ts';
import { environment, eventually, freshWorkers, named, now, secrets } from '../../support/stack/stack.ts';

const SECRET = named.secret('recording-link-key');
const readKeys = () => keyReader(secrets, SECRET)();
const DAYS_30 = 30 * 24 * 60 * 60;
/** @param age of the link in seconds */
const linkTo = async (callId: string, age = 0) =>
  recordingLink((await readKeys())[0], environment.base_url, callId, new Date(now().getTime() - age * 1000));
const open = async (link: string) => {
  const answer = await fetch(link, { redirect: 'manual', signal: AbortSignal.timeout(120_000) });
  const text = await answer.text();
  expectDescribed('GET', new URL(link).pathname, answer.status, text && JSON.parse(text));
  return { status: answer.status, headers: answer.headers, text };
};
const refusalOf = async (link: string) => {
  const { status, text } = await open(link);
  return [status, JSON.parse(text).error];
};
const changed = (link: string, name: string, value: string) => {
  const url = new URL(link);
  url.searchParams.set(name, value);
  return url.href;
};

/** A call with a recording, without a CRM. */
const aRecordedCall = async (over: Parameters<typeof anEndedCall>[2] = {}) => {
  const org = await anOrg();
  const connected = { org, connectionId: 'conn_none' } as Parameters<typeof anEndedCall>[0];
  return anEndedCall(connected, '1', { crm_b_sync: undefined, ...over });
};

describe('open-recording', () => {
  it('redirects to the recording for five minutes, without an API key, and forbids caching', async () => {
    const { call_id } = await aRecordedCall();
    const { status, headers, text } = await open(await linkTo(call_id));
    expect([status, text]).toEqual([302, '']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const location = headers.get('location') ?? '';
    expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('300');
    const recording = await fetch(location);
    expect([recording.status, recording.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(Buffer.from(await recording.arrayBuffer())).toEqual(AUDIO);
  });

  it('refuses a forged link with the same answer, whether or not the call exists', async () => {
    const { call_id } = await aRecordedCall();
    const link = await linkTo(call_id);
    const forged = [
      changed(link, 'signature', 'x'),
      changed(link, 'key', '00000000'),
      changed(link, 'expires', '99999999999'),
      link.replace(call_id, 'call_other'),
      link.split('?')[0] ?? '',
    ];
    const answers = await Promise.all(forged.map(async (each) => (await open(each)).text));
    expect(new Set(answers).size).toBe(1);
    for (const each of forged) expect(await refusalOf(each)).toEqual([403, 'invalid_link']);
  });

  it('answers 404 to a valid link if the call has no recording or does not exist', async () => {
    const { call_id } = await aRecordedCall({ recording: { state: 'failed' } });
    expect(await refusalOf(await linkTo(call_id))).toEqual([404, 'recording_not_found']);
    expect(await refusalOf(await linkTo('call_nobody_knows'))).toEqual([404, 'recording_not_found']);
  });

  it('accepts links of the former key after a rotation, and of the new key within seconds', async () => {
    const { call_id } = await aRecordedCall();
    const before = await linkTo(call_id);
    expect((await open(before)).status).toBe(302);
    expect((await done('secret', 'rotate', '--name', 'recording-link-key')).name).toBe('recording-link-key');
    const after = await linkTo(call_id);
    expect(after).not.toBe(before);
    // Guesses must not cause a flood of reads: keys are reloaded every five seconds at most.
    await eventually(
      () => open(after),
      ({ status }) => status === 302,
    );
    expect((await open(before)).status).toBe(302);
    await freshWorkers('open-recording');
    expect((await open(before)).status).toBe(302);
  });

  it('reports an expired link after 30 days', async () => {
    const { call_id } = await aRecordedCall();
    expect((await open(await linkTo(call_id, DAYS_30 - 60))).status).toBe(302);
    expect(await refusalOf(await linkTo(call_id, DAYS_30 + 1))).toEqual([410, 'link_expired']);
  });
});
