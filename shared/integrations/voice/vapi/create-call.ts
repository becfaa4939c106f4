import type { DialRequest } from '../voice-platform.ts';

const NAME_CHARACTERS = 40; // Vapi OpenAPI: CreateCallDTO.name, CreateAssistantDTO.name

/** Vapi's server messages are sent once unless a plan says otherwise; the end of a call must not be lost. */
const backoffPlan = { type: 'exponential', maxRetries: 8, baseDelaySeconds: 5, excludedStatusCodes: [413] };

const REPORT_TIMEOUT_SECONDS = 20;

/**
 * The body of POST /call (Vapi OpenAPI, CreateCallDTO): a transient assistant, so that what was configured here is what
 * speaks, and our call id as `customer.externalId`, the one reference that every answer and message repeats.
 * @param phoneNumberId the platform's id of the number that calls.
 */
export function createCallBody(request: DialRequest, phoneNumberId: string) {
  const name = request.assistantName.slice(0, NAME_CHARACTERS);
  return {
    name: request.callId,
    phoneNumberId,
    customer: { number: request.phoneNumber, externalId: request.callId },
    assistant: {
      name,
      firstMessage: request.firstMessage,
      firstMessageMode: 'assistant-speaks-first',
      model: {
        provider: 'openai',
        model: 'gpt-4.1-mini',
        messages: [{ role: 'system', content: request.prompt }],
        ...(request.transferNumber && { tools: [transferTool(request.transferNumber)] }),
      },
      voice: {
        provider: 'vapi',
        voiceId: request.voice ?? 'Elliot',
        ...(request.language && { language: request.language }),
      },
      transcriber: { provider: 'deepgram', model: 'nova-3', language: request.language ?? 'multi' },
      maxDurationSeconds: request.maxDurationSeconds,
      // Off by default: without it a voicemail counts as an answered call.
      voicemailDetection: { provider: 'vapi', type: 'audio' },
      artifactPlan: { recordingEnabled: true, recordingFormat: 'wav;l16', transcriptPlan: { enabled: true } },
      serverMessages: ['status-update', 'end-of-call-report'],
      server: {
        url: request.reports.url,
        timeoutSeconds: REPORT_TIMEOUT_SECONDS,
        headers: request.reports.headers,
        backoffPlan,
      },
      metadata: { callId: request.callId },
    },
  };
}

const transferTool = (number: string) => ({
  type: 'transferCall',
  destinations: [
    { type: 'number', number, description: 'A person who takes the call over when the caller asks for one.' },
  ],
});
