import type { Node } from 'constructs';
import { z } from 'zod';
import { helpDeskScopes } from '../shared/domain/connections/oauth-scopes.ts';
import { defaultModelOf } from './model.ts';

const isOrigin = (url: string): boolean => new URL(url).pathname === '/';

const settings = z.strictObject({
  /** Part of every name, so that several stages can live in one account. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,15}$/),
  region: z.string(),
  /** Whether data outlives the stack and is protected from deletion. */
  isRetained: z.boolean(),
  logRetentionDays: z.coerce.number().int(),
  /** Base of the addresses given to others; absent = the API's own endpoint. */
  publicUrl: z.url().refine(isOrigin, "no path: the addresses below it are the service's own").optional(),
  voiceApiUrl: z.url(),
  /** Live calls that the voice platform's account allows at once. */
  voiceSlots: z.coerce.number().int().min(1),
  voiceTimeoutMs: z.coerce.number().int().min(100).max(15_000),
  /** The accounts server of CRM-B and the help desk, in place of every data center's real one. */
  zohoAccountsUrl: z.url().optional(),
  /** A token refresh and a request must fit into the worker's time. */
  zohoAccountsTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** CRM-B's API in place of every data center's real one. */
  crmBApiUrl: z.url().optional(),
  crmBTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** Comma-separated: the vendor names the help desk's scopes otherwise than the interface. */
  helpDeskScopes: z.string(),
  /** The help desk's API in place of every data center's real one. */
  helpDeskApiUrl: z.url().refine(isOrigin, "no path: /api/v1 is the service's own").optional(),
  helpDeskTimeoutMs: z.coerce.number().int().min(100).max(10_000),
  /** Of Amazon Bedrock: a foundation model of the region, or an inference profile. */
  modelId: z
    .string({ error: 'no model is known to answer in this region: name one with -c modelId=…' })
    .regex(/^[a-z0-9][a-z0-9.:-]{1,99}$/),
  /** An endpoint of Bedrock's form in place of the region's. */
  modelApiUrl: z.url().optional(),
  /** All that one analysis may take: a route waits for it. */
  modelTimeoutMs: z.coerce.number().int().min(100).max(24_000),
  /** Where people are sent back to after their consent; absent = the public URL. */
  dashboardUrl: z.url().optional(),
  /** Whether callbacks may go to this machine itself. */
  allowLoopbackCallbacks: z.boolean(),
  /** Who is told of alarms. */
  alarmEmail: z.email().optional(),
});

export type Stage = z.infer<typeof settings>;

/** What holds on every stage unless it is set by context (`-c name=value`, or cdk.json). */
const everywhere = {
  isRetained: true,
  logRetentionDays: 90,
  voiceApiUrl: 'https://api.vapi.ai',
  voiceSlots: 10,
  voiceTimeoutMs: 10_000,
  zohoAccountsTimeoutMs: 10_000,
  crmBTimeoutMs: 10_000,
  helpDeskScopes,
  helpDeskTimeoutMs: 10_000,
  modelTimeoutMs: 24_000,
  allowLoopbackCallbacks: false,
};

/** What holds on the local stage instead: nothing there is meant to last, and its neighbours are on this machine. */
const locally = { isRetained: false, logRetentionDays: 1, allowLoopbackCallbacks: true };

const fromContext = [
  'publicUrl',
  'voiceApiUrl',
  'voiceSlots',
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
  'alarmEmail',
  'logRetentionDays',
] as const;

/**
 * The settings of the stage that is deployed.
 * @param node the app's. @throws ZodError naming what is wrong.
 */
export function readStage(node: Node, environment = process.env): Stage {
  const name = node.tryGetContext('stage');
  const given = fromContext
    .map((key) => [key, node.tryGetContext(key)] as const)
    .filter(([, value]) => value !== undefined);
  const region =
    node.tryGetContext('region') ?? environment.CDK_DEFAULT_REGION ?? environment.AWS_REGION ?? 'us-east-1';
  return settings.parse({
    name,
    region,
    modelId: defaultModelOf(String(region)),
    ...everywhere,
    ...(name === 'local' && locally),
    ...Object.fromEntries(given),
  });
}
