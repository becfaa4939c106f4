import type { Node } from 'constructs';
import { z } from 'zod';
import { helpDeskScopes } from '../shared/domain/connections/oauth-scopes.ts';
import { defaultModelOf } from './model.ts';
import { MOST_STAGE_CHARACTERS } from './names.ts';

const isOrigin = (url: string): boolean => new URL(url).pathname === '/';

/** The times that CloudWatch Logs knows, in days (CloudWatch Logs API, "PutRetentionPolicy"). */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const settings = z.strictObject({
  /** Part of every resource name, so that one account can hold several stages. */
  name: z
    .string()
    .max(MOST_STAGE_CHARACTERS)
    .regex(/^[a-z][a-z0-9-]*$/),
  region: z.string(),
  /** Whether data outlives its stack and is protected from deletion. */
  isRetained: z.boolean(),
  logRetentionDays: z.preprocess(
    Number,
    z.literal(RETENTION_DAYS, { error: `CloudWatch Logs keeps logs for ${RETENTION_DAYS.join(', ')} days` }),
  ),
  /** Base of the addresses given to clients and remote systems; absent = the API's own endpoint. */
  publicUrl: z.url().refine(isOrigin, "no path: the addresses below it are the service's own").optional(),
  voiceApiUrl: z.url(),
  /** Concurrent calls that the voice platform's account allows. */
  voiceSlots: z.coerce.number().int().min(1),
  /** Dials per second, of all calls and of one calling number. */
  voiceDialsPerSecond: z.coerce.number().int().min(1).max(100),
  voiceNumberDialsPerSecond: z.coerce.number().int().min(1).max(100),
  /** Most credits that all calls may cost on a day in India; absent = no limit. */
  dailySpend: z.coerce.number().int().min(1).max(1_000_000_000).optional(),
  voiceTimeoutMs: z.coerce.number().int().min(100).max(15_000),
  /** Replaces the accounts servers of all data centers, for CRM-B and the help desk. */
  zohoAccountsUrl: z.url().optional(),
  /** A token refresh and a request must both fit into the caller's time-out. */
  zohoAccountsTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** Replaces the CRM-B APIs of all data centers. */
  crmBApiUrl: z.url().optional(),
  crmBTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** Comma-separated. The vendor's scope names differ from our defaults (docs/help-desk.md, "Scopes"). */
  helpDeskScopes: z.string(),
  /** Replaces the help-desk APIs of all data centers. */
  helpDeskApiUrl: z.url().refine(isOrigin, "no path: /api/v1 is the service's own").optional(),
  helpDeskTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** Amazon Bedrock: a foundation model of the region, or an inference profile. */
  modelId: z
    .string({ error: 'no model is known to answer in this region: name one with -c modelId=…' })
    .regex(/^[a-z0-9][a-z0-9.:-]{1,99}$/),
  /** Replaces the region's Bedrock endpoint. */
  modelApiUrl: z.url().optional(),
  /** Time limit of one analysis, repairs included: a route waits for it. */
  modelTimeoutMs: z.coerce.number().int().min(100).max(24_000),
  /** Origin of the dashboard; absent = the one of its distribution. */
  dashboardUrl: z.url().refine(isOrigin, "no path: the addresses below it are the dashboard's own").optional(),
  /** Of the name in dashboardUrl. CloudFront reads certificates of us-east-1 only. */
  dashboardCertificate: z
    .string()
    .regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
    .optional(),
  /** Where browsers load recordings from; absent = the bucket's own address. */
  filesOrigin: z.url().optional(),
  /** Whether an invitation answers the first password instead of mailing it. */
  showFirstPasswords: z.boolean(),
  /** Sender of e-mails, whose address or domain Amazon SES has verified; absent = people are told in the app alone. */
  mailFrom: z.email().optional(),
  /** Whether AWS WAF is in front of the dashboard's distribution, which costs money; in us-east-1 only. */
  webFirewall: z.stringbool().or(z.boolean()),
  /** The most that each function of analyses by request and uploads runs at once; reserved from the account's. */
  costlyAtOnce: z.coerce.number().int().min(1).max(500).optional(),
  /** Whether webhooks have limits of their own. API Gateway takes them once their routes exist: not at first. */
  webhookThrottles: z.stringbool().or(z.boolean()),
  /** Whether callbacks may go to loopback addresses. */
  allowLoopbackCallbacks: z.boolean(),
  /** Indexes to leave out: an existing table gets one at a time (docs/deploy.md, "Update a stage"). */
  withoutIndexes: z
    .string()
    .regex(/^[a-z-]+\/[a-z-]+(,[a-z-]+\/[a-z-]+)*$/)
    .optional(),
  /** Recipient of alarms. */
  alarmEmail: z.email().optional(),
});

export type Stage = z.infer<typeof settings>;

/** Defaults of every stage; context overrides them (`-c name=value`, or cdk.json). */
const everywhere = {
  isRetained: true,
  logRetentionDays: 90,
  voiceApiUrl: 'https://api.vapi.ai',
  voiceSlots: 10,
  // A number of Twilio's dials once per second, one of Vonage's three times, unless the provider allows more.
  voiceDialsPerSecond: 5,
  voiceNumberDialsPerSecond: 1,
  voiceTimeoutMs: 10_000,
  zohoAccountsTimeoutMs: 10_000,
  crmBTimeoutMs: 10_000,
  helpDeskScopes,
  helpDeskTimeoutMs: 10_000,
  modelTimeoutMs: 24_000,
  allowLoopbackCallbacks: false,
  webFirewall: false,
  webhookThrottles: false,
  showFirstPasswords: false,
};

/** Defaults of the local stage: its data does not last, and its remote systems run on the same machine. */
const locally = {
  isRetained: false,
  logRetentionDays: 1,
  allowLoopbackCallbacks: true,
  showFirstPasswords: true,
  voiceDialsPerSecond: 100,
  voiceNumberDialsPerSecond: 100,
};

const fromContext = [
  'publicUrl',
  'voiceApiUrl',
  'voiceSlots',
  'voiceDialsPerSecond',
  'voiceNumberDialsPerSecond',
  'dailySpend',
  'voiceTimeoutMs',
  'zohoAccountsUrl',
  'zohoAccountsTimeoutMs',
  'crmBApiUrl',
  'crmBTimeoutMs',
  'helpDeskScopes',
  'helpDeskApiUrl',
  'helpDeskTimeoutMs',
  'modelId',
  'modelApiUrl',
  'modelTimeoutMs',
  'dashboardUrl',
  'dashboardCertificate',
  'filesOrigin',
  'mailFrom',
  'withoutIndexes',
  'alarmEmail',
  'webFirewall',
  'webhookThrottles',
  'costlyAtOnce',
  'logRetentionDays',
] as const;

/** Ignoring a former name would send requests to the vendor's real servers. */
const renamed = { crmBAccountsUrl: 'zohoAccountsUrl' } as const;

/**
 * Reads the settings of the stage to deploy.
 * @param node of the CDK app. @throws ZodError that names the invalid settings, Error for a former or a missing one.
 */
export function readStage(node: Node, environment = process.env): Stage {
  for (const [former, name] of Object.entries(renamed))
    if (node.tryGetContext(former) !== undefined) throw new Error(`-c ${former}=… is now -c ${name}=…`);
  const name = node.tryGetContext('stage');
  const given = fromContext
    .map((key) => [key, node.tryGetContext(key)] as const)
    .filter(([, value]) => value !== undefined);
  const region =
    node.tryGetContext('region') ?? environment.CDK_DEFAULT_REGION ?? environment.AWS_REGION ?? 'us-east-1';
  const stage = settings.parse({
    name,
    region,
    modelId: defaultModelOf(String(region)),
    ...everywhere,
    ...(name === 'local' && locally),
    ...Object.fromEntries(given),
  });
  requireCertificate(stage);
  return stage;
}

/** CloudFront answers to a name only with a certificate of that name. The local stage has no CloudFront. */
function requireCertificate({ name, dashboardUrl, dashboardCertificate }: Stage): void {
  const takesCertificate = dashboardUrl?.startsWith('https://') ?? false;
  if (name !== 'local' && (dashboardUrl !== undefined || dashboardCertificate !== undefined))
    if (!takesCertificate || dashboardCertificate === undefined)
      throw new Error(
        '-c dashboardUrl=https://… and -c dashboardCertificate=… (of that name, in us-east-1) go together',
      );
}
