import { signCall } from '../../shared/domain/calls/call-signature.ts';
import { keyReader, putSecret } from '../../shared/stores/secrets.ts';
import { anAcceptedCall } from '../support/accepted-call.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../support/rest.ts';
import { eventually, freshWorkers, named, secrets, voice, workersAreIdle } from '../support/stack.ts';

const ROUTE = '/api/webhooks/voice/vapi';
const keys = keyReader(secrets, named.secret('voice-webhook-key'));
const signatureOf = async (callId: string) => signCall((await keys(true))[0], callId);

/** As Vapi sends it (docs.vapi.ai, "Server events"), with more than we want to know. */
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
  it('takes a message that carries the signature of its call', async () => {
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

  it.each([
    ['no signature', async () => ({})],
    ['the signature of another call', async () => ({ 'x-call-signature': await signatureOf('call_other') })],
    ['a signature of another length', async () => ({ 'x-call-signature': 'short' })],
  ])('refuses %s with 401, and the call stays as it was', async (_name, headersOf) => {
    const { org, callId, platformId } = await anAcceptedCallOfItsOrg();
    const answer = await request('POST', ROUTE, {
      headers: (await headersOf()) as Record<string, string>,
      body: statusUpdate(callId, platformId, 'in-progress'),
    });
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    await workersAreIdle();
    expect((await readCall(org, callId)).status).toBe('dialing');
  });

  it('acknowledges and drops what says nothing of a call of ours', async () => {
    for (const body of [
      { message: { type: 'hang' } },
      {},
      [],
      { message: { type: 'status-update', call: { id: 'x' } } },
    ])
      expect(await request('POST', ROUTE, { body })).toMatchObject({ status: 200, body: { received: true } });
  });

  it('answers 400 to what is no JSON', async () => {
    expect(await request('POST', ROUTE, { body: '{"message' })).toMatchObject({
      status: 400,
      body: { error: 'invalid body' },
    });
  });

  it('accepts the key before the current one while it is being replaced, and signs new calls with the current one', async () => {
    const { org, callId, platformId } = await anAcceptedCallOfItsOrg();
    const old = await signatureOf(callId);
    await putSecret(secrets, named.secret('voice-webhook-key'), 'k'.repeat(64));
    const answer = await request('POST', ROUTE, {
      headers: { 'x-call-signature': old },
      body: statusUpdate(callId, platformId, 'ringing'),
    });
    expect(answer.status).toBe(200);
    // A whole call under the new key, while the dialer may still sign with the one before.
    expect((await endOf(org, await placeCall(org, { phone_number: aPhoneNumber() }))).status).toBe('completed');
    // Whoever replaces the key next ends the one that the dialer has still kept.
    await freshWorkers('dial-call');
  });

  it('keeps a transcript of 300 KB whole, by way of the bucket', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const long = 'I would like to know more. '.repeat(12_000);
    await voice.script(phone_number, { behaviour: 'answer', transcript: [{ role: 'user', message: long }] });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const { transcript_key } = (await stores.calls.get(callId)) ?? {};
    expect(transcript_key).toBe(`reported-transcripts/${callId}.txt`);
    expect((await stores.files.getTranscript(transcript_key ?? ''))?.length).toBeGreaterThanOrEqual(long.trim().length);
  });
});
