import type { Assistant } from '../organizations/assistant.ts';
import { composePrompt, type KnowledgeText, render, variablesOf } from '../organizations/assistant-text.ts';
import type { Call } from './call.ts';
import { fieldContext, fieldVariables } from './crm-fields.ts';

/** What the platform needs to conduct a call: who is called, and what the assistant says. */
export type Conversation = {
  callId: string;
  phoneNumber: string;
  assistantName: string;
  prompt: string;
  firstMessage: string;
  voice: string | undefined;
  language: string | undefined;
  transferNumber: string | undefined;
  maxDurationSeconds: number;
};

/**
 * Composes the conversation of a call. Prompt and first message may use the lead's fields, or the client's metadata.
 */
export function conversationOf(
  { call_id, phone_number, max_duration_seconds, request_metadata, lead }: Call,
  assistant: Assistant,
  knowledge: readonly KnowledgeText[],
): Conversation {
  const variables = lead ? fieldVariables(lead.fields) : variablesOf(request_metadata);
  return {
    callId: call_id,
    phoneNumber: phone_number,
    assistantName: assistant.name,
    prompt: composePrompt(assistant.prompt, variables, {
      knowledge,
      ...(lead && { lead: fieldContext(lead.fields) }),
    }),
    firstMessage: render(assistant.first_message, variables),
    voice: assistant.voice,
    language: assistant.language,
    transferNumber: assistant.transfer_number,
    maxDurationSeconds: max_duration_seconds,
  };
}
