import type { Assistant } from '../../organizations/assistants/assistant.ts';
import { firstMessageOf } from '../../organizations/assistants/assistant-defaults.ts';
import { render, variablesOf } from '../../organizations/assistants/assistant-template.ts';
import { composePrompt, type KnowledgeText } from '../../organizations/assistants/assistant-text.ts';
import type { Call } from '../call.ts';
import { fieldContext, spokenVariables } from './crm-fields.ts';

/** The platform's input for a call: the person to call and the assistant's texts. */
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
 * Composes the conversation of a call. Prompt and first message may use the client's metadata or, for a lead, the
 * fields that may be said. If the first message is empty after rendering, the assistant says its name.
 * @param assistant with the transfer number that the call may use.
 * @param newMark returns a new unguessable word on each call, for the delimiters of data.
 */
export function conversationOf(
  { call_id, phone_number, max_duration_seconds, request_metadata, lead }: Call,
  assistant: Assistant,
  knowledge: readonly KnowledgeText[],
  newMark: () => string,
): Conversation {
  const variables = lead ? spokenVariables(lead.fields) : variablesOf(request_metadata);
  return {
    callId: call_id,
    phoneNumber: phone_number,
    assistantName: assistant.name,
    prompt: composePrompt(
      assistant.prompt,
      variables,
      { knowledge, ...(lead && { lead: fieldContext(lead.fields) }) },
      newMark,
    ),
    firstMessage: render(assistant.first_message, variables) || firstMessageOf(assistant.name),
    voice: assistant.voice,
    language: assistant.language,
    transferNumber: assistant.transfer_number,
    maxDurationSeconds: max_duration_seconds,
  };
}
