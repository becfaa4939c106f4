import { DOES_NOT_FIT } from '../../domain/organizations/assistants/assistant-definition.ts';
import { NO_ROOM } from '../../domain/organizations/assistants/knowledge-file.ts';
import type { RestAnswer } from '../rest/rest-route.ts';
import { decline } from './dashboard-answer.ts';

const aboutAssistant = {
  assistant_not_found: 'There is no assistant with this id.',
  entry_not_found: 'The knowledge base has no such entry.',
  definition_too_large: DOES_NOT_FIT,
  knowledge_base_full: NO_ROOM,
} as const;

export const declineAboutAssistant = (error: keyof typeof aboutAssistant): RestAnswer =>
  decline({ error, message: aboutAssistant[error] });

/** Declines a number as the target of transfers. @param message why the organization may not call it. */
export const declineTransfer = (message: string): RestAnswer =>
  decline({ error: 'destination_not_allowed', message, fields: [{ path: 'transfer_number', message }] });

const aboutTestCall = {
  assistant_not_found: aboutAssistant.assistant_not_found,
  no_phone: 'Your profile has no phone number. Enter it under Account first.',
  do_not_call: "Your number is on the organization's do-not-call list.",
  org_suspended: 'The organization is suspended; no calls are placed for it.',
  call_erased: 'This test call was erased. Place a new one.',
} as const;

export const declineAboutTestCall = (error: keyof typeof aboutTestCall): RestAnswer =>
  decline({ error, message: aboutTestCall[error] });
