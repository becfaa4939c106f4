import { signCall } from '../../../shared/domain/calls/platform/call-signature.ts';
import { keyReader, putSecret } from '../../../shared/stores/secrets.ts';
import { anAcceptedCall, endAcceptedCalls } from '../../support/calls/accepted-call.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../../support/rest/rest.ts';
import { eventually, freshWorkers, named, secrets, voice, workersAreIdle } from '../../support/stack/stack.ts';

afterAll(endAcceptedCalls);

const ROUTE = '/api/webhooks/voice/vapi';
const keys = keyReader(secrets, named.secret('voice-webhook-key'));
const signatureOf = async (callId: string) => signCall((await keys(true))[0], callId);

/** A message in Vapi's format (docs.vapi.ai, "Server events"), with fields that we ignore. */
const statusUpdate = (callId: string, id: string, status: string) => ({
  message: {
    type: 'status-update',
    status,
    timestamp: Date.now(),
    call: { id, customer: { externalId: callId, number: '+919812345678' }, orgId: 'o' },
    phoneNumber: { twilioAuthToken: 'canary-token' },
  },
});

async function anAcceptedCallOfItsOrg() {
  const org = await anOrg();
  return { org, ...(await anAcceptedCall(org)) };
}

describe('receive-voice-message', () => {
  it('accepts a message with the signature of its call', async () => {
    const { org, callId, platformId } = await anAcceptedCallOfItsOrg();
    const answer = await request('POST', ROUTE, {
      headers: { 'x-call-signature': await signatureOf(callId) },
      body: statusUpdate(callId, platformId, 'ringing'),
    });
    expect(answer).toMatchObject({ status: 200, body: { received: true } });
    await eventually(
      () => readCall(org, callId),
      ({ status }) => status === 'ringing',
    );
  });

  it('refuses a message without the signature of its call with 401, and the call stays unchanged', async () => {
    const { org, callId, platformId } = await anAcceptedCallOfItsOrg();
    const body = statusUpdate(callId, platformId, 'in-progress');
    for (const signature of [undefined, await signatureOf('call_other'), 'short']) {
      const headers: Record<string, string> = signature === undefined ? {} : { 'x-call-signature': signature };
      const answer = await request('POST', ROUTE, { headers, body });
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    }
    await workersAreIdle();
    expect((await readCall(org, callId)).status).toBe('dialing');
  });

  it('refuses messages about calls of others, and malformed ones, and drops signed ones that it does not use', async () => {
    const nameless = { message: { type: 'status-update', call: { id: 'x' } } };
    for (const body of [{ message: { type: 'hang' } }, [], nameless, '{"message'])
      expect(await request('POST', ROUTE, { body })).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    const unused = statusUpdate('call_any', 'x', 'purring');
    const headers = { 'x-call-signature': await signatureOf('call_any') };
    expect(await request('POST', ROUTE, { body: unused })).toMatchObject({ status: 401 });
    expect(await request('POST', ROUTE, { headers, body: unused })).toMatchObject({ status: 200 });
    const broken = JSON.stringify(unused).slice(1);
    expect(await request('POST', ROUTE, { headers, body: broken })).toMatchObject({
      status: 400,
      body: { error: 'invalid body' },
    });
  });

  it('accepts the former key during a rotation, and signs new calls with the current one', async () => {
    const { org, callId, platformId } = await anAcceptedCallOfItsOrg();
    const old = await signatureOf(callId);
    await putSecret(secrets, named.secret('voice-webhook-key'), 'k'.repeat(64));
    const answer = await request('POST', ROUTE, {
      headers: { 'x-call-signature': old },
      body: statusUpdate(callId, platformId, 'ringing'),
    });
    expect(answer.status).toBe(200);
    // A complete call under the new key, while the dialer may still sign with the former one.
    expect((await endOf(org, await placeCall(org, { phone_number: aPhoneNumber() }))).status).toBe('completed');
    // The next rotation ends the key that the dialer may still cache.
    await freshWorkers('dial-call');
  });

  it('stores a transcript of 300 KB completely, through the bucket, and analyzes it', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const long = 'I would like to know more. '.repeat(12_000);
    await voice.script(phone_number, { behaviour: 'answer', transcript: [{ role: 'user', message: long }] });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const { transcript_key } = (await stores.calls.get(callId)) ?? {};
    expect(transcript_key).toMatch(new RegExp(`^reported-transcripts/${callId}\\.[0-9a-f]{32}\\.txt$`));
    expect((await stores.files.getTranscript(transcript_key ?? ''))?.length).toBeGreaterThanOrEqual(long.trim().length);
    await eventually(
      () => stores.calls.get(callId),
      (call) => call?.analysis?.state === 'done' && call.analysis.is_cut === true,
    );
  });
});
