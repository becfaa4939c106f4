import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { callbackSecrets } from '../../shared/stores/callback-secrets.ts';
import { keyReader } from '../../shared/stores/secrets.ts';
import { callbackReceiver } from '../support/callback-receiver.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, postCall, request } from '../support/rest.ts';
import {
  environment,
  environmentFile,
  eventually,
  kms,
  named,
  now,
  secrets,
  voice,
  workersAreIdle,
} from '../support/stack.ts';

/** What all functions have written since the stack was started: the emulator prints it into its own log. */
const log = () => readFileSync(join(dirname(environmentFile), 'cloud', 'emulator.log'), 'utf8');

describe('the log', () => {
  it('holds no key, token, phone number, transcript, metadata or callback address, whatever happened', async () => {
    const receiver = await callbackReceiver();
    const org = await anOrg({ credits: 10 });
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
    const written = log();
    expect(written).toContain(callId);
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
    ])
      expect(lineWith(written, secret)).toBeUndefined();
  });
});

/** The line without the secret itself, so that a failing test does not print it either. */
const lineWith = (text: string, secret: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.includes(secret))
    ?.replaceAll(secret, '***');
