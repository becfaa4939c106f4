/** Small, fast, and supports a forced tool choice. */
const MODEL = 'amazon.nova-lite-v1:0';

const PROFILE = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\.(.+)$/;

/** Regions that serve the model without an inference profile (Bedrock guide, "Model support by AWS Region"). */
const regionsWithoutProfile: readonly string[] = ['us-east-1', 'us-gov-west-1'];

/** Prefix of the inference profile, by the first part of the region's name. */
const profiles = { 'us-gov-': undefined, 'us-': 'us', 'eu-': 'eu', 'ap-': 'apac' } as const;

/** Returns the default model of a region; undefined if no served model is known. */
export function defaultModelOf(region: string): string | undefined {
  if (regionsWithoutProfile.includes(region)) return MODEL;
  const profile = Object.entries(profiles).find(([beginning]) => region.startsWith(beginning))?.[1];
  return profile && `${profile}.${MODEL}`;
}

/** Returns the foundation model of an inference profile, the end of the profile's id; any other id unchanged. */
export const baseModelOf = (modelId: string): string => PROFILE.exec(modelId)?.[1] ?? modelId;

/**
 * Returns the ARNs that the right to invoke a model must cover. An inference profile, recognized by the prefix of its
 * id, also needs the right to its model in every region that it routes to (Bedrock guide, "Prerequisites for inference
 * profiles").
 */
export function modelArns(
  modelId: string,
  { region, account, partition }: { region: string; account: string; partition: string },
): string[] {
  const inRegion = (name: string, owner: string, resource: string) =>
    `arn:${partition}:bedrock:${name}:${owner}:${resource}`;
  const model = baseModelOf(modelId);
  if (model === modelId) return [inRegion(region, '', `foundation-model/${modelId}`)];
  return [inRegion(region, account, `inference-profile/${modelId}`), inRegion('*', '', `foundation-model/${model}`)];
}
