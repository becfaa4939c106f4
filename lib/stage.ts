import type { Node } from 'constructs';
import { z } from 'zod';
import { helpDeskScopes } from '../shared/domain/connections/access/oauth-scopes.ts';
import { readRetention } from '../shared/domain/organizations/retention.ts';
import { defaultModelOf } from './model.ts';
import { MAX_STAGE_CHARACTERS } from './names.ts';
import { CLOUDFRONT_REGION, CREATE, checkOwnNames } from './own-names.ts';
import { readStageFile, StageError, stageFile } from './stage-file.ts';
import { address, flag, fromDigits, ofForm, origin, regionName, wholeNumber } from './stage-values.ts';
import { type TableName, tableRow, tables } from './tables.ts';

const isRetention = (text: string): boolean => {
  try {
    return readRetention(text) !== undefined;
  } catch {
    return false;
  }
};

const tableNames = Object.keys(tables) as TableName[];
const indexNames = tableNames.flatMap((table) => (tableRow(table).indexes ?? []).map(({ name }) => `${table}/${name}`));

/** The retentions that CloudWatch Logs allows, in days (CloudWatch Logs API, "PutRetentionPolicy"). */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * Minutes in which a new version gets a tenth of the work. CodeDeploy also offers 5, too short for an alarm on five
 * minutes, and 30, too long for a job of two stacks (CodeDeploy guide, "Deployment configurations").
 */
const CANARY_MINUTES = [0, 10, 15] as const;

export type CanaryMinutes = (typeof CANARY_MINUTES)[number];

const settings = z.strictObject({
  /** Part of every resource name, so that one account can hold several stages. */
  name: z
    .string()
    .max(MAX_STAGE_CHARACTERS)
    .regex(/^[a-z][a-z0-9-]*$/),
  region: regionName,
  /** Whether data outlives its stack and is protected from deletion. */
  isRetained: flag,
  logRetentionDays: z.preprocess(
    fromDigits,
    z.literal(RETENTION_DAYS, { error: `CloudWatch Logs keeps logs for ${RETENTION_DAYS.join(', ')} days` }),
  ),
  /** Base of the addresses given to clients and remote systems; absent for the API's own endpoint. */
  publicUrl: origin('the addresses below it belong to the service').optional(),
  /**
   * Names to which API Gateway answers, each with the ARN of its certificate, in the stage's region, or with `create`;
   * a list of names creates all of them. Absent if publicUrl's name points to the API in another way.
   */
  publicNames: z
    .preprocess(
      (given) => (Array.isArray(given) ? Object.fromEntries(given.map((name) => [name, CREATE])) : given),
      z.record(
        z.hostname(),
        z
          .string()
          .regex(
            /^(create|arn:aws:acm:[a-z\d-]+:\d{12}:certificate\/[\w-]+)$/,
            'must be the ARN of a certificate, or create',
          ),
        { error: ofForm('a list of names, or an object of names with their certificates') },
      ),
    )
    .optional(),
  /** Public hosted zones of Route 53, with their ids: the deployment writes the records of names in them. */
  hostedZones: z
    .record(
      z.hostname(),
      z.string().regex(/^Z[A-Z0-9]{1,31}$/, 'must be the id of a hosted zone, such as Z0123456789ABC'),
      { error: ofForm('zones with their ids: {"example.com": "Z0123456789ABC"}') },
    )
    .optional(),
  voiceApiUrl: address,
  /** Concurrent calls that the voice platform's account allows. */
  voiceSlots: wholeNumber(1),
  /** Dials per second, of all calls and of one calling number. */
  voiceDialsPerSecond: wholeNumber(1, 100),
  voiceNumberDialsPerSecond: wholeNumber(1, 100),
  /** Maximum credits that all calls may cost per day in India; absent for no limit. */
  dailySpend: wholeNumber(1, 1_000_000_000).optional(),
  voiceTimeoutMs: wholeNumber(100, 15_000),
  /** Replaces the accounts servers of all data centers, for CRM-B and the help desk. */
  zohoAccountsUrl: address.optional(),
  /** A token refresh and a request must both fit into the caller's time-out. */
  zohoAccountsTimeoutMs: wholeNumber(100, 10_000),
  /** Replaces the CRM-B APIs of all data centers. */
  crmBApiUrl: address.optional(),
  crmBTimeoutMs: wholeNumber(100, 10_000),
  /** Comma-separated. The vendor's scope names differ from our defaults (docs/help-desk.md, "Scopes"). */
  helpDeskScopes: z
    .string({ error: 'must be scopes separated by commas' })
    .regex(/^[^\s,]+(,[^\s,]+)*$/, 'must be scopes separated by commas, without spaces'),
  /** Replaces the help-desk APIs of all data centers. */
  helpDeskApiUrl: origin('/api/v1 belongs to the service').optional(),
  helpDeskTimeoutMs: wholeNumber(100, 10_000),
  /** Amazon Bedrock: a foundation model of the region, or an inference profile. */
  modelId: z
    .string({ error: 'no model is known to answer in this region: name one in modelId' })
    .regex(/^[a-z0-9][a-z0-9.:-]{1,99}$/),
  /** Replaces the region's Bedrock endpoint. */
  modelApiUrl: address.optional(),
  /** Time limit of one analysis, repairs included: a route waits for it. */
  modelTimeoutMs: wholeNumber(100, 24_000),
  /** Origin of the dashboard; absent for its distribution's. */
  dashboardUrl: origin('the addresses below it belong to the dashboard').optional(),
  /**
   * The certificate of dashboardUrl's name; absent if the deployment requests it. CloudFront reads certificates only in
   * us-east-1.
   */
  dashboardCertificate: z
    .string()
    .regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
    .optional(),
  /** The origin from which browsers load recordings; absent for the bucket's own address. */
  filesOrigin: origin('browsers allow the whole server').optional(),
  /** Whether an invitation returns the first password instead of mailing it. */
  showFirstPasswords: z.boolean(),
  /** Sender of e-mails, whose address or domain Amazon SES has verified; absent if notices appear only in the app. */
  mailFrom: z.email().optional(),
  /**
   * The identity of mailFrom in Amazon SES, its address or its domain, with which Cognito mails invitations and codes;
   * absent if Cognito mails a few itself.
   */
  mailIdentity: z.string().optional(),
  /** Whether AWS WAF protects the dashboard's distribution, at a cost; only in us-east-1. */
  webFirewall: flag,
  /** Whether KMS keys can be replicated to other regions; decided once, because AWS cannot change a key. */
  multiRegionKeys: flag,
  /** Reserved concurrency of each function for requested analyses and uploads. */
  costlyAtOnce: wholeNumber(1, 500).optional(),
  /** Whether callbacks may go to loopback addresses. */
  allowLoopbackCallbacks: z.boolean(),
  /** Indexes to leave out: an existing table gets one at a time (docs/deploy.md, "Update a stage"). */
  withoutIndexes: z
    .string()
    .refine((text) => text.split(',').every((index) => indexNames.includes(index)), {
      error: `must be some of ${indexNames.join(',')}`,
    })
    .optional(),
  /** Restored tables that replace the former ones, with the endings of their names (docs/runbooks/restore.md). */
  restored: z
    .partialRecord(z.enum(tableNames), z.string().regex(/^r(\d{12}|\d{14})$/), {
      error: ofForm('tables with their endings: {"calls": "r20261123093000"}'),
    })
    .optional(),
  /** The default retention of calls, their files and Activity; absent for no limit. */
  retention: z.string().refine(isRetention, 'such as recordings=90,transcripts=365 (docs/settings.md)').optional(),
  /** Minutes of a canary; 0 gives a new version all work at once, even if an alarm is active. */
  canaryMinutes: z
    .preprocess(fromDigits, z.literal(CANARY_MINUTES, { error: `a canary takes ${CANARY_MINUTES.join(', ')} minutes` }))
    .optional(),
  /**
   * The GitHub repository whose jobs deploy the stage, as their tokens name it; absent if only people do. Names without
   * ids are those of repositories from before GitHub's immutable subjects (docs/deploy.md, "Deploy from GitHub").
   */
  deployFrom: z
    .string()
    .regex(
      /^(?:[\w.-]+\/[\w.-]+|[\w.-]+@\d+\/[\w.-]+@\d+)$/,
      'must be OWNER/REPOSITORY or OWNER@OWNER_ID/REPOSITORY@REPOSITORY_ID',
    )
    .optional(),
  /** Recipient of alarms. */
  alarmEmail: z.email().optional(),
  /**
   * US dollars that the AWS account may cost per month before `alarmEmail` is notified; absent if it is not watched.
   */
  monthlyBudget: wholeNumber(1, 10_000_000).optional(),
});

export type Stage = z.infer<typeof settings>;

/** Returns whether buckets are emptied before they are deleted. The local stage's disappear with the emulator. */
export const isEmptied = ({ name, isRetained }: Stage): boolean => !isRetained && name !== 'local';

/** Returns the minutes of a canary; undefined if the stage has no canaries, the default of a disposable one. */
export const canaryMinutesOf = ({ canaryMinutes, isRetained }: Stage): CanaryMinutes | undefined =>
  canaryMinutes ?? (isRetained ? 10 : undefined);

/** Defaults of every stage. */
const defaults = {
  isRetained: true,
  logRetentionDays: 90,
  voiceApiUrl: 'https://api.vapi.ai',
  voiceSlots: 10,
  // A Twilio number dials once per second, a Vonage number three times, unless the provider allows more.
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
  multiRegionKeys: false,
  showFirstPasswords: false,
};

/** Defaults of the local stage: its data does not last, and its remote systems run on the same machine. */
const localDefaults = {
  isRetained: false,
  logRetentionDays: 1,
  allowLoopbackCallbacks: true,
  showFirstPasswords: true,
  voiceDialsPerSecond: 100,
  voiceNumberDialsPerSecond: 100,
};

/** The settings that stages/NAME.json may have or, for the local stage, the CDK's context. */
const settable = [
  'isRetained',
  'region',
  'publicUrl',
  'publicNames',
  'hostedZones',
  'voiceApiUrl',
  'voiceSlots',
  'voiceDialsPerSecond',
  'voiceNumberDialsPerSecond',
  'dailySpend',
  'retention',
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
  'mailIdentity',
  'withoutIndexes',
  'restored',
  'alarmEmail',
  'monthlyBudget',
  'deployFrom',
  'canaryMinutes',
  'webFirewall',
  'multiRegionKeys',
  'costlyAtOnce',
  'logRetentionDays',
] as const;

/** Former names of settings. Silently ignoring one would send requests to the vendor's real servers. */
const renamed = { crmBAccountsUrl: 'zohoAccountsUrl' } as const;

/**
 * The settings that a retained stage must have, because an accidental region or address, or alarms without a reader,
 * are mistakes.
 */
const requiredToRetain = ['region', 'alarmEmail', 'publicUrl', 'multiRegionKeys'] as const;

type Given = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of the stage to deploy: from stages/NAME.json, or from the context for the stage `local`, whose
 * addresses differ at each start.
 * @param node of the CDK app; its context names the stage. @param stored the settings of a stage's file; undefined if
 * it has none. @throws StageError that names the mistake and its place.
 */
export function readStage(node: Node, environment = process.env, stored = readStageFile): Stage {
  const name: unknown = node.tryGetContext('stage');
  if (typeof name !== 'string' || name === '')
    throw new StageError('Name the stage: -c stage=NAME. Its settings are in stages/NAME.json (docs/deploy.md).');
  const context = Object.fromEntries(
    [...settable, ...Object.keys(renamed)]
      .map((key) => [key, node.tryGetContext(key)] as const)
      .filter(([, value]) => value !== undefined),
  );
  if (name === 'local') return readLocalStage(context, environment);
  const [extra] = Object.keys(context);
  if (extra) throw new StageError(`Write ${extra} into ${stageFile(name)} instead of -c ${extra}=…`);
  return readStoredStage(name, environment, stored);
}

/** Reads the settings of the stage `local`. @throws StageError */
export const readLocalStage = (context: Given, environment: Variables = process.env): Stage =>
  parse('The context of the stage local', 'local', context, environment);

/** Reads the settings of a stage from its file. @param stored as of readStage. @throws StageError */
export function readStoredStage(name: string, environment: Variables = process.env, stored = readStageFile): Stage {
  const given = stored(name);
  if (!given)
    throw new StageError(`${stageFile(name)} does not exist. docs/deploy.md, "Describe the stage", shows one.`);
  const stage = parse(stageFile(name), name, given, environment);
  const missing = requiredToRetain.filter((key) => given[key] === undefined);
  if (stage.isRetained && missing.length > 0)
    throw new StageError(
      `${stageFile(name)} lacks ${missing.join(', ')}, which a stage with real data needs. "isRetained": false is for a disposable one.`,
    );
  return stage;
}

function parse(place: string, name: string, given: Given, environment: Variables): Stage {
  for (const [former, now] of Object.entries(renamed))
    if (given[former] !== undefined) throw new StageError(`${place}: ${former} is now ${now}.`);
  const unknown = Object.keys(given).filter((key) => !settable.some((known) => known === key));
  if (unknown.length > 0)
    throw new StageError(`${place}: unknown settings ${unknown.join(', ')}. docs/settings.md has all of them.`);
  const { region = environment.CDK_DEFAULT_REGION ?? environment.AWS_REGION ?? 'us-east-1' } = given;
  const read = settings.safeParse({
    name,
    modelId: defaultModelOf(String(region)),
    ...defaults,
    ...(name === 'local' && localDefaults),
    ...given,
    region,
  });
  if (!read.success) throw new StageError(`${place}:\n${z.prettifyError(read.error)}`);
  if (read.data.monthlyBudget !== undefined && read.data.alarmEmail === undefined)
    throw new StageError(`${place}: monthlyBudget needs alarmEmail, the address that is notified.`);
  const { mailFrom, mailIdentity } = read.data;
  if (mailIdentity !== undefined && mailIdentity !== mailFrom && mailIdentity !== mailFrom?.split('@')[1])
    throw new StageError(`${place}: mailIdentity must be mailFrom or its domain.`);
  if (read.data.webFirewall && region !== CLOUDFRONT_REGION)
    throw new StageError(`${place}: webFirewall needs the region ${CLOUDFRONT_REGION}.`);
  checkOwnNames(read.data);
  return read.data;
}
