import * as z from 'zod';
import { deepgramLanguages, vapiTranscriberLanguages, voiceLanguages } from './languages.ts';

/*
 * The vendor's CreateCallDTO (OpenAPI) for a single outbound phone call. Messages have the form of class-validator,
 * which the vendor uses: the path, then the error. Unknown keys are refused where the vendor's schema is closed.
 */

const e164 = /^\+[1-9]\d{6,14}$/;
const atMost = (length: number) =>
  z
    .string('must be a string')
    .max(length, { error: `must be shorter than or equal to ${length} characters` })
    .optional();
const between = (low: number, high: number, integer = false) =>
  z
    .number('must be a number conforming to the specified constraints')
    .min(low, { error: `must not be less than ${low}` })
    .max(high, { error: `must not be greater than ${high}` })
    .refine((value) => !integer || Number.isInteger(value), { error: 'must be an integer number' });
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of the following values: ${values.join(', ')}` });
const id = z.guid('must be a UUID').optional();
const anyObject = z.record(z.string(), z.unknown(), 'must be an object');
const anyList = z.array(z.unknown(), 'must be an array');
const closed = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined),
  });

/** The types of server messages that an assistant may request. */
const serverMessageTypes = [
  'assistant.started',
  'assistant.speechStarted',
  'conversation-update',
  'end-of-call-report',
  'function-call',
  'hang',
  'language-changed',
  'language-change-detected',
  'model-output',
  'phone-call-control',
  'speech-update',
  'status-update',
  'transcript',
  'transcript[transcriptType="final"]',
  'tool-calls',
  'transfer-destination-request',
  'handoff-destination-request',
  'transfer-update',
  'user-interrupted',
  'voice-input',
  'chat.created',
  'chat.deleted',
  'session.created',
  'session.updated',
  'session.deleted',
  'call.deleted',
  'call.delete.failed',
  'call.artifact.upload',
] as const;

/** The types that are sent by default. */
export const defaultServerMessages: readonly string[] = [
  'conversation-update',
  'end-of-call-report',
  'function-call',
  'hang',
  'speech-update',
  'status-update',
  'tool-calls',
  'transfer-destination-request',
  'handoff-destination-request',
  'user-interrupted',
  'assistant.started',
];

const backoffPlan = closed({
  type: oneOf(['fixed', 'exponential']),
  maxRetries: between(0, 10, true),
  baseDelaySeconds: between(0, 10),
  excludedStatusCodes: z.array(z.number('must be a number'), 'must be an array').optional(),
});

const server = closed({
  url: z.url('must be a URL address').optional(),
  timeoutSeconds: between(1, 300).optional(),
  headers: z.record(z.string(), z.string('must be a string'), 'must be an object').optional(),
  credentialId: z.string('must be a string').optional(),
  staticIpAddressesEnabled: z.boolean('must be a boolean value').optional(),
  encryptedPaths: z.array(z.string(), 'must be an array').optional(),
  backoffPlan: backoffPlan.optional(),
});

const transferDestination = z
  .looseObject({
    type: oneOf(['number', 'sip', 'assistant']),
    number: z.string('must be a string').optional(),
    numberE164CheckEnabled: z.boolean().optional(),
    message: z.unknown().optional(),
    description: z.string('must be a string').optional(),
    callerId: z.string('must be a string').optional(),
    extension: atMost(10),
    transferPlan: z.looseObject({ mode: z.string('must be a string') }, 'must be an object').optional(),
  })
  .superRefine((destination, context) => {
    if (destination.type !== 'number' || destination.numberE164CheckEnabled === false) return;
    if (!e164.test(destination.number ?? ''))
      context.addIssue({
        code: 'custom',
        path: ['number'],
        message: 'must be a valid phone number in the E.164 format',
      });
  });

const tool = z.looseObject(
  {
    type: z.string('must be a string'),
    destinations: z.array(transferDestination, 'must be an array').optional(),
  },
  'must be an object',
);

const model = z.looseObject(
  {
    provider: z.string('must be a string'),
    model: z.string('must be a string'),
    messages: z
      .array(
        z.looseObject({
          role: oneOf(['assistant', 'function', 'user', 'system', 'tool']),
          content: z.string('must be a string').optional(),
        }),
        'must be an array',
      )
      .optional(),
    temperature: between(0, 2).optional(),
    maxTokens: between(50, 10000).optional(),
    tools: z.array(tool, 'must be an array').optional(),
    toolIds: z.array(z.string(), 'must be an array').optional(),
  },
  'must be an object',
);

/** Refuses a language that the OpenAPI does not list for the provider. Other providers are not checked. */
const withLanguage = (languages: Record<string, readonly string[]>) =>
  z
    .looseObject({ provider: z.string('must be a string'), language: z.string('must be a string').optional() })
    .superRefine(({ provider, language }, context) => {
      const known = languages[provider];
      if (!known || language === undefined || known.includes(language)) return;
      const message = `must be one of the following values: ${known.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['language'], message });
    });

const assistantShape = {
  transcriber: withLanguage({ deepgram: deepgramLanguages, vapi: vapiTranscriberLanguages }).optional(),
  model: model.optional(),
  voice: withLanguage({ vapi: voiceLanguages }).optional(),
  firstMessage: z.string('must be a string').optional(),
  firstMessageInterruptionsEnabled: z.boolean('must be a boolean value').optional(),
  firstMessageMode: oneOf([
    'assistant-speaks-first',
    'assistant-speaks-first-with-model-generated-message',
    'assistant-waits-for-user',
  ]).optional(),
  voicemailDetection: z
    .union([z.literal('off'), z.looseObject({ provider: z.enum(['vapi', 'google', 'openai', 'twilio']) })], {
      error: 'must be "off" or an object with a known provider',
    })
    .optional(),
  clientMessages: anyList.optional(),
  serverMessages: z
    .array(
      z.enum(serverMessageTypes, {
        error: `each value in serverMessages must be one of the following values: ${serverMessageTypes.join(', ')}`,
      }),
      'must be an array',
    )
    .optional(),
  maxDurationSeconds: between(10, 43200).optional(),
  backgroundSound: z.string('must be a string').optional(),
  modelOutputInMessagesEnabled: z.boolean('must be a boolean value').optional(),
  transportConfigurations: anyList.optional(),
  observabilityPlan: anyObject.optional(),
  credentials: anyList.optional(),
  hooks: anyList.optional(),
  name: atMost(40),
  voicemailMessage: atMost(1000),
  endCallMessage: atMost(1000),
  endCallPhrases: z
    .array(
      z
        .string('must be a string')
        .min(2, { error: 'must be longer than or equal to 2 characters' })
        .max(140, { error: 'must be shorter than or equal to 140 characters' }),
      'must be an array',
    )
    .optional(),
  compliancePlan: anyObject.optional(),
  metadata: anyObject.optional(),
  backgroundSpeechDenoisingPlan: anyObject.optional(),
  analysisPlan: anyObject.optional(),
  artifactPlan: closed({
    recordingEnabled: z.boolean('must be a boolean value').optional(),
    recordingFormat: oneOf(['wav;l16', 'mp3']).optional(),
    recordingUseCustomStorageEnabled: z.boolean('must be a boolean value').optional(),
    videoRecordingEnabled: z.boolean('must be a boolean value').optional(),
    fullMessageHistoryEnabled: z.boolean('must be a boolean value').optional(),
    pcapEnabled: z.boolean('must be a boolean value').optional(),
    pcapS3PathPrefix: z.string('must be a string').optional(),
    pcapUseCustomStorageEnabled: z.boolean('must be a boolean value').optional(),
    loggingEnabled: z.boolean('must be a boolean value').optional(),
    loggingUseCustomStorageEnabled: z.boolean('must be a boolean value').optional(),
    transcriptPlan: anyObject.optional(),
    recordingPath: z.string('must be a string').optional(),
    structuredOutputIds: anyList.optional(),
    structuredOutputs: anyList.optional(),
    scorecardIds: anyList.optional(),
    scorecards: anyList.optional(),
    loggingPath: z.string('must be a string').optional(),
  }).optional(),
  startSpeakingPlan: anyObject.optional(),
  stopSpeakingPlan: anyObject.optional(),
  monitorPlan: anyObject.optional(),
  credentialIds: anyList.optional(),
  server: server.optional(),
  keypadInputPlan: anyObject.optional(),
};

const assistant = closed(assistantShape);
const assistantOverrides = closed({
  ...assistantShape,
  variableValues: anyObject.optional(),
  'tools:append': anyList.optional(),
});

const customer = closed({
  numberE164CheckEnabled: z.boolean('must be a boolean value').optional(),
  extension: atMost(10),
  assistantOverrides: assistantOverrides.optional(),
  squadOverrides: anyObject.optional(),
  number: z
    .string('must be a string')
    .min(3, { error: 'must be longer than or equal to 3 characters' })
    .max(40, { error: 'must be shorter than or equal to 40 characters' })
    .optional(),
  sipUri: z.string('must be a string').optional(),
  name: atMost(40),
  email: atMost(40),
  externalId: atMost(40),
}).superRefine((value, context) => {
  if (value.number === undefined) return;
  const checked = value.numberE164CheckEnabled !== false;
  if (!(checked ? e164 : /^\+?[a-zA-Z0-9]+$/).test(value.number))
    context.addIssue({
      code: 'custom',
      path: ['number'],
      message:
        'must be a valid phone number in the E.164 format. Hot tip, you may be missing the country code (Eg. US: +1).',
    });
});

export const createCallSchema = closed({
  assistantId: id,
  assistant: assistant.optional(),
  assistantVersion: z.string('must be a string').nullable().optional(),
  assistantOverrides: assistantOverrides.optional(),
  phoneNumberId: id,
  phoneNumber: anyObject.optional(),
  customerId: id,
  customer: customer.optional(),
  name: atMost(40),
  transport: anyObject.optional(),
  customers: anyList.optional(),
  schedulePlan: anyObject.optional(),
  squadId: id,
  squad: anyObject.optional(),
  squadOverrides: anyObject.optional(),
  workflowId: id,
  workflow: anyObject.optional(),
  workflowOverrides: anyObject.optional(),
});

export const updateCallSchema = closed({ name: atMost(40) });

export type CreateCall = z.infer<typeof createCallSchema>;
export type Assistant = z.infer<typeof assistant>;
export type Server = z.infer<typeof server>;
export type TransferDestination = z.infer<typeof transferDestination>;
