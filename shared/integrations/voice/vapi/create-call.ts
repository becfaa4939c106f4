import { cutText } from '../../../domain/text/cut-text.ts';
import type { DialRequest } from '../voice-platform.ts';
import { transcriberOf, voiceLanguageOf } from './languages.ts';

const NAME_CHARACTERS = 40; // Vapi OpenAPI: CreateCallDTO.name, CreateAssistantDTO.name

/** Without a plan, Vapi sends a server message only once, and the end of a call could be lost. */
const backoffPlan = { type: 'exponential', maxRetries: 8, baseDelaySeconds: 5, excludedStatusCodes: [413] };

const REPORT_TIMEOUT_SECONDS = 20;

/**
 * Builds the body of POST /call (Vapi OpenAPI, CreateCallDTO) with a transient assistant, which needs no configuration
 * at Vapi. Every answer and message repeats our call id as `customer.externalId`.
 * @param phoneNumberId the platform's id of the calling number.
 */
export function createCallBody(request: DialRequest, phoneNumberId: string) {
  const name = cutText(request.assistantName, NAME_CHARACTERS);
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
        ...(request.language && { language: voiceLanguageOf(request.language) }),
      },
      transcriber: transcriberOf(request.language),
      maxDurationSeconds: request.maxDurationSeconds,
      // Off by default. Without it, a voicemail counts as an answered call.
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
