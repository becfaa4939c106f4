import { randomBytes, randomUUID } from 'node:crypto';
import type { Assistant, CreateCall } from '../create-call.ts';
import type { VendorCall } from '../model.ts';

/** Applies the overrides of the call, then of the customer, to the assistant. */
export function effectiveAssistant(request: CreateCall): Assistant {
  return { ...request.assistant, ...request.assistantOverrides, ...request.customer?.assistantOverrides };
}

/** Builds the vendor's object of an accepted call. */
export function newCall(
  request: CreateCall,
  orgId: string,
  now: string,
  url: string,
  controlToken: string,
): VendorCall {
  const id = randomUUID();
  const { name, assistantId, assistant, assistantOverrides, phoneNumberId, customer } = request;
  return {
    id,
    orgId,
    type: 'outboundPhoneCall',
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    cost: 0,
    ...(name !== undefined && { name }),
    ...(assistantId !== undefined && { assistantId }),
    ...(assistant !== undefined && { assistant }),
    ...(assistantOverrides !== undefined && { assistantOverrides }),
    ...(phoneNumberId !== undefined && { phoneNumberId }),
    ...(customer !== undefined && { customer }),
    phoneCallProvider: 'twilio',
    phoneCallProviderId: `CA${randomBytes(16).toString('hex')}`,
    phoneCallTransport: 'pstn',
    transport: { provider: 'twilio', accountSid: twilioSecrets.twilioAccountSid },
    monitor: {
      listenUrl: `${url.replace(/^http/, 'ws')}/${id}/${controlToken}/listen`,
      controlUrl: `${url}/${id}/${controlToken}/control`,
    },
  };
}

/**
 * Secrets in every message: the vendor types `message.phoneNumber` as CreateTwilioPhoneNumberDTO. A receiver that
 * stores or logs messages unchanged would store these secrets, too.
 */
export const twilioSecrets = {
  twilioAccountSid: 'AC00000000000000000000000000000000',
  twilioAuthToken: 'simulated-twilio-auth-token',
  twilioApiKey: 'SK00000000000000000000000000000000',
  twilioApiSecret: 'simulated-twilio-api-secret',
};
