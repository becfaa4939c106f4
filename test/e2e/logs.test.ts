import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type FunctionName, functionNames } from '../../lib/functions.ts';
import { callbackSecrets } from '../../shared/stores/callback-secrets.ts';
import { keyReader } from '../../shared/stores/secrets.ts';
import { callbackReceiver } from '../support/callback-receiver.ts';
import { aConnection, activityOf, deliver, leadBody } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, postCall, request } from '../support/rest.ts';
import { client, environment, eventually, kms, named, now, secrets, voice, workersAreIdle } from '../support/stack.ts';

const logs = new CloudWatchLogsClient(client);

/** What a function has written since the stack was started. */
async function logOf(name: FunctionName): Promise<string> {
  const logGroupName = `/aws/lambda/${named.function(name)}`;
  const messages: string[] = [];
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, { logGroupName }))
    messages.push(...events.map(({ message = '' }) => message));
  return messages.join('\n');
}

describe('the log', () => {
  it('holds no key, token, phone number, transcript, metadata or callback address, whatever happened', async () => {
    const receiver = await callbackReceiver();
    const org = await anOrg({ credits: 100 });
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, {
      behaviour: 'answer',
      transcript: [{ role: 'user', message: 'canary in the transcript' }],
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
    await eventually(
      () => stores.calls.get(callId),
      (call) => call?.finished_at !== undefined,
    );
    const connected = await aConnection({}, org);
    await deliver(connected, leadBody({ Phone: phone_number.replace('+91', '0'), Notes: 'canary in the lead' }));
    await deliver(connected, leadBody(), { 'x-crma-webhook-token': 'canary-token' });
    const refused = aPhoneNumber();
    await voice.script(refused, { behaviour: 'refuse', status: 422, message: 'canary of the platform' });
    await postCall({ apiKey: environment.api_key }, { phone_number: refused, assistant_id: environment.assistant_id });
    await workersAreIdle();
    receiver.stop();

    const [callbackSecret] = await callbackSecrets(
      kms,
      named.keyAlias('callback-secrets'),
      stores.organizations,
    )(org.orgId, now());
    const [webhookKey] = await keyReader(secrets, named.secret('voice-webhook-key'))();
    const entry = (await activityOf(connected, 1))[0];
    await endOf(org, entry?.call_id ?? '');
    const runOnceMore = async () => {
      await request('GET', `/api/webhooks/crm-a/${connected.connection.connection_id}`);
      await request('GET', '/canary/nowhere');
      await request('GET', `/v1/calls/${callId}`, { key: org.apiKey });
      await postCall(org, { phone_number, assistant_id: 'canary-assistant' });
      await deliver(connected, leadBody());
    };
    // What a process writes late, the emulator takes for the next invocation's: so each function runs until it was heard.
    const written = await eventually(
      async () => {
        await runOnceMore();
        await workersAreIdle();
        return new Map(await Promise.all(functionNames.map(async (name) => [name, await logOf(name)] as const)));
      },
      (logs) =>
        // An empty log would hold no secret either.
        functionNames.every((name) => name === 'recover-calls' || logs.get(name)?.includes('"level":"INFO"')) &&
        Boolean(logs.get('dial-call')?.includes(callId)) &&
        Boolean(logs.get('process-lead')?.includes(entry?.event_id ?? 'no event')),
      90,
    );
    for (const secret of [
      org.apiKey,
      environment.api_key,
      phone_number,
      phone_number.slice(1),
      refused,
      callbackSecret,
      webhookKey,
      'voice-simulator-key',
      'canary',
      connected.token,
      'Ravi',
      'ravi@',
    ])
      expect(lineWith([...written.values()].join('\n'), secret)).toBeUndefined();
  });
});

/** The line without the secret itself, so that a failing test does not print it either. */
const lineWith = (text: string, secret: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.includes(secret))
    ?.replaceAll(secret, '***');
