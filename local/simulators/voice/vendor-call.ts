import { randomBytes, randomUUID } from 'node:crypto';
import type { Line } from './conversation.ts';
import type { CostBreakdown, CostItem } from './costs.ts';
import type { Assistant, CreateCall, TransferDestination } from './create-call.ts';

/** Statuses a simulated call passes through, in this order. */
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | 'forwarding' | 'ended';

export type Artifact = {
  transcript?: string;
  messages?: Line[];
  messagesOpenAIFormatted?: { role: string; content: string }[];
  recordingUrl?: string;
  stereoRecordingUrl?: string;
  recording?: Record<string, unknown>;
  transfers?: { destination: TransferDestination; mode: string; status: string }[];
  variableValues?: Record<string, unknown>;
  [presigned: `presigned${string}`]: string;
};

/** The vendor's Call object. */
export type VendorCall = {
  id: string;
  orgId: string;
  type: 'outboundPhoneCall';
  status: CallStatus;
  createdAt: string;
  updatedAt: string;
  startedAt?: string;
  endedAt?: string;
  endedReason?: string;
  endedMessage?: string;
  destination?: TransferDestination;
  cost: number;
  costs?: CostItem[];
  costBreakdown?: CostBreakdown;
  name?: string;
  assistantId?: string;
  assistant?: Assistant;
  assistantOverrides?: unknown;
  phoneNumberId?: string;
  customer?: CreateCall['customer'];
  phoneCallProvider: 'twilio';
  phoneCallProviderId: string;
  phoneCallTransport: 'pstn';
  transport: Record<string, unknown>;
  monitor: { listenUrl: string; controlUrl: string };
  analysis?: { summary?: string; successEvaluation?: string };
  artifact?: Artifact;
  messages?: Line[];
};

/** The assistant the call runs with: the given one with the overrides of the call, then of the customer. */
export function effectiveAssistant(request: CreateCall): Assistant {
  return { ...request.assistant, ...request.assistantOverrides, ...request.customer?.assistantOverrides };
}

/** A call that was just accepted. */
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
 * The vendor types `message.phoneNumber` as CreateTwilioPhoneNumberDTO, which carries these; whoever stores or logs
 * a message as it came stores them too.
 */
export const twilioSecrets = {
  twilioAccountSid: 'AC00000000000000000000000000000000',
  twilioAuthToken: 'simulated-twilio-auth-token',
  twilioApiKey: 'SK00000000000000000000000000000000',
  twilioApiSecret: 'simulated-twilio-api-secret',
};
