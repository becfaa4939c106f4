import { signCall } from '../../../shared/domain/calls/platform/call-signature.ts';
import { callbackSecrets } from '../../../shared/stores/organizations/callback-secrets.ts';
import { keyReader } from '../../../shared/stores/secrets.ts';
import { callbackReceiver } from '../after-call/callback-receiver.ts';
import { aConnection, activityOf, deliver, leadBody } from '../leads/leads.ts';
import { anOrg, stores, untilCall } from '../organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, postCall, request } from '../rest/rest.ts';
import { environment, kms, model, named, now, secrets, voice, workersAreIdle } from '../stack/stack.ts';
import type { Expected, Scene } from './logged-scene.ts';

/** Other calls are analyzed at the same time: the model's faults apply only to this one. */
const SAID = 'canary in the transcript that is analyzed again';

/** Requests calls by REST and for leads of CRM-A, some of which are refused, with a canary in every text field. */
export async function loggedCalls(): Promise<Scene> {
  const receiver = await callbackReceiver();
  const org = await anOrg({ credits: 100 });
  const phone_number = aPhoneNumber();
  await voice.script(phone_number, {
    behaviour: 'answer',
    transcript: [{ role: 'user', message: SAID }],
    summary: 'canary in the summary',
  });
  const callback_url = `${receiver.address({ status: 500 }, { status: 200 })}?canary=callback`;
  const metadata = { name: 'canary in the metadata' };
  const callId = await placeCall(org, {
    phone_number,
    metadata,
    callback_url,
    idempotency_key: 'canary-idempotency-key',
  });
  await endOf(org, callId);
  await postCall(org, `{"phone_number": "${phone_number}", "assistant_id": "canary in a bad body`);
  await postCall(org, { phone_number, assistant_id: 'canary-assistant' });
  await request('GET', '/v1/calls/x?token=canary-query', { key: `${org.apiKey}canary` });
  await request('POST', '/api/webhooks/voice/vapi', {
    headers: { 'x-call-signature': 'canary-signature' },
    body: { message: { canary: true } },
  });
  await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
  await model.fault({
    kind: 'input',
    whenTranscriptHas: SAID,
    times: 2,
    input: { summary: ['canary of the model'], canary_of_the_model: true },
  });
  const analyze = () => request('POST', `/v1/calls/${callId}/analyze`, { key: org.apiKey, body: 'canary' });
  if ((await analyze()).status !== 502) throw new Error('the model was to answer nothing valid');
  const connected = await aConnection({}, org);
  await deliver(connected, leadBody({ Phone: phone_number.replace('+91', '0'), Notes: 'canary in the lead' }));
  await deliver(connected, leadBody(), { 'x-crma-webhook-token': 'canary-token' });
  const refused = aPhoneNumber();
  await voice.script(refused, { behaviour: 'refuse', status: 422, message: 'canary of the platform' });
  await postCall({ apiKey: environment.api_key }, { phone_number: refused, assistant_id: environment.assistant_id });
  await workersAreIdle();
  receiver.stop();

  const readSecrets = callbackSecrets(kms, named.keyAlias('callback-secrets'), stores.organizations);
  const [callbackSecret = ''] = await readSecrets(org.orgId, now());
  const [webhookKey] = await keyReader(secrets, named.secret('voice-webhook-key'))();
  const entry = (await activityOf(connected, 1))[0];
  await endOf(org, entry?.call_id ?? '');
  const expected: Expected[] = [
    ['place-call', org.keyId, '"address"', '"status":202'],
    ['get-call', '"address"', '"status":401'],
    ['dial-call', callId],
    ['finish-call', callId],
    ['analyze-call', callId, 'invalid'],
    ['process-lead', entry?.event_id ?? ''],
  ];
  return {
    secrets: [
      ...[org.apiKey, environment.api_key, 'voice-simulator-key', connected.token, callbackSecret, webhookKey],
      signCall(webhookKey, callId),
      ...[phone_number, phone_number.slice(1), refused, 'canary', 'Ravi', 'ravi@'],
    ],
    expected,
    async again() {
      await request('GET', `/api/webhooks/crm-a/${connected.connection.connection_id}`);
      await request('GET', '/v1/canary/nowhere');
      await request('GET', '/openapi.json');
      await request('GET', `/v1/calls/${callId}`, { key: org.apiKey });
      await analyze();
      await postCall(org, { phone_number, assistant_id: 'canary-assistant' });
      await deliver(connected, leadBody());
    },
  };
}
