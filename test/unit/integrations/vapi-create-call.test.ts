import { callIdFor } from '../../../shared/domain/ids.ts';
import { createCallBody } from '../../../shared/integrations/voice/vapi/create-call.ts';
import type { DialRequest } from '../../../shared/integrations/voice/voice-platform.ts';

const aDial = (over: Partial<DialRequest> = {}): DialRequest => ({
  callId: callIdFor('org1', 'order-7'),
  phoneNumber: '+919812345678',
  voiceNumberId: undefined,
  assistantName: 'Asha',
  prompt: 'Be kind.',
  firstMessage: 'Hello!',
  voice: undefined,
  language: undefined,
  transferNumber: undefined,
  maxDurationSeconds: 600,
  reports: { url: 'https://calls.example/api/webhooks/voice/vapi', headers: { 'x-call-signature': 's' } },
  ...over,
});

const body = (over: Partial<DialRequest> = {}) => createCallBody(aDial(over), 'number-1');

describe('the body of POST /call', () => {
  it('requests one call with a transient assistant that speaks first', () => {
    expect(body()).toEqual({
      name: aDial().callId,
      phoneNumberId: 'number-1',
      customer: { number: '+919812345678', externalId: aDial().callId },
      assistant: {
        name: 'Asha',
        firstMessage: 'Hello!',
        firstMessageMode: 'assistant-speaks-first',
        model: { provider: 'openai', model: expect.any(String), messages: [{ role: 'system', content: 'Be kind.' }] },
        voice: { provider: 'vapi', voiceId: expect.any(String) },
        transcriber: { provider: 'deepgram', model: 'nova-3', language: 'multi' },
        maxDurationSeconds: 600,
        voicemailDetection: { provider: 'vapi', type: 'audio' },
        artifactPlan: { recordingEnabled: true, recordingFormat: 'wav;l16', transcriptPlan: { enabled: true } },
        serverMessages: ['status-update', 'end-of-call-report'],
        server: {
          url: 'https://calls.example/api/webhooks/voice/vapi',
          timeoutSeconds: expect.any(Number),
          headers: { 'x-call-signature': 's' },
          backoffPlan: expect.any(Object),
        },
        metadata: { callId: aDial().callId },
      },
    });
  });

  it('limits names and our id to the 40 characters that the platform allows', () => {
    const { name, customer, assistant } = body({
      assistantName: 'Ä very long name of an assistant, far too long for it',
    });
    for (const text of [name, customer.externalId, assistant.name]) {
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(40);
    }
    expect(body({ assistantName: 'x'.repeat(40) }).assistant.name).toHaveLength(40);
  });

  it('has failed end-of-call reports repeated within the limits of the vendor', () => {
    const { backoffPlan, timeoutSeconds } = body().assistant.server;
    const limits = [
      { value: backoffPlan.maxRetries, least: 5, most: 10 },
      { value: backoffPlan.baseDelaySeconds, least: 1, most: 10 },
      { value: timeoutSeconds, least: 1, most: 300 },
    ];
    expect(limits.filter(({ value, least, most }) => value < least || value > most)).toEqual([]);
    // A report that is too large would fail again. One with a wrong signature may pass once a key has been replaced.
    expect(backoffPlan).toMatchObject({ type: 'exponential', excludedStatusCodes: [413] });
  });

  it.each([
    { written: 'hi', voice: 'hi', transcriber: { provider: 'deepgram', model: 'nova-3', language: 'hi' } },
    { written: 'en-IN', voice: 'en', transcriber: { provider: 'deepgram', model: 'nova-3', language: 'en-IN' } },
    { written: 'hi-IN', voice: 'hi', transcriber: { provider: 'deepgram', model: 'nova-3', language: 'hi' } },
    { written: 'ur', voice: 'auto', transcriber: { provider: 'deepgram', model: 'nova-3', language: 'ur' } },
    { written: 'ml', voice: 'ml', transcriber: { provider: 'vapi', language: 'ml' } },
  ])('names $written as the voice and the transcriber know it', ({ written, voice, transcriber }) => {
    const { assistant } = body({ language: written });
    expect(assistant).toMatchObject({ voice: { language: voice }, transcriber });
  });

  it('offers a transfer only if the assistant has a transfer number', () => {
    expect(body().assistant.model).not.toHaveProperty('tools');
    const destinations = [{ type: 'number', number: '+911234567890', description: expect.any(String) }];
    expect(body({ transferNumber: '+911234567890' }).assistant.model).toMatchObject({
      tools: [{ type: 'transferCall', destinations }],
    });
  });

  it('uses the language and the voice of the assistant', () => {
    const { voice, transcriber } = body({ voice: 'Neha', language: 'hi' }).assistant;
    expect(voice).toEqual({ provider: 'vapi', voiceId: 'Neha', language: 'hi' });
    expect(transcriber).toMatchObject({ language: 'hi' });
  });

  it('has no undefined members', () => {
    for (const made of [body(), body({ transferNumber: '+911234567890', voice: 'Neha', language: 'hi' })])
      expect(JSON.parse(JSON.stringify(made))).toStrictEqual(made);
  });
});
