import type { DeliveryAnswer } from '../kit/delivery.ts';
import type { Assistant, CreateCall, TransferDestination } from './create-call.ts';
import type { DialedScript, Script } from './scripts.ts';

/** The statuses of a simulated call, in this order. */
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | 'forwarding' | 'ended';

/** A message of `artifact.messages` (the vendor's SystemMessage, BotMessage and UserMessage). */
export type Line = {
  role: 'system' | 'bot' | 'user';
  message: string;
  time: number;
  endTime?: number;
  secondsFromStart: number;
  duration?: number;
};

/** An entry of `costs[]` (the vendor's TransportCost, TranscriberCost, ModelCost, VoiceCost and VapiCost). */
export type CostItem = { type: string; cost: number; minutes?: number; [detail: string]: unknown };

export type CostBreakdown = {
  transport: number;
  stt: number;
  llm: number;
  tts: number;
  vapi: number;
  total: number;
  llmPromptTokens: number;
  llmCompletionTokens: number;
  ttsCharacters: number;
};

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

/** One attempt to deliver a message. */
type Delivery = { at: string; attempt: number; answer: DeliveryAnswer };

export type SentMessage = { type: string; status?: string; endedReason?: string; deliveries: Delivery[] };

/** A call with the facts that only the simulator knows. */
export type HeldCall = {
  call: VendorCall;
  request: CreateCall;
  /** The customer's number. */
  number: string;
  /** 1 for the first accepted call of the number. */
  attempt: number;
  script: DialedScript;
  controlToken: string;
  rang: boolean;
  live: boolean;
  deleted: boolean;
  /** DELETE requests for the call until it was deleted. */
  deletions: number;
  /** By the clock. The call's own endedAt is simulated time. */
  createdAtMs: number;
  endedAtMs?: number;
  messages: SentMessage[];
  /** Ends the call from outside (control URL). */
  hangUp: AbortController;
  /** Stops the call's timers and deliveries (reset, stop). */
  resetController: AbortController;
};

/** A POST /call with a valid key and body. */
export type ReceivedRequest = {
  at: string;
  number: string;
  behaviour: Script['behaviour'];
  answer: number | 'none' | 'dropped';
  callId?: string;
  body: CreateCall;
};
