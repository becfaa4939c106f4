/** Small, quick, and it takes a tool by force. */
const MODEL = 'amazon.nova-lite-v1:0';

/** Where it can be asked as it stands (Bedrock guide, "Model support by AWS Region"). */
const itself: readonly string[] = ['us-east-1', 'us-gov-west-1'];

/** Elsewhere by an inference profile of the region's part of the world, by the beginning of the region's name. */
const profiles = { 'us-gov-': undefined, 'us-': 'us', 'eu-': 'eu', 'ap-': 'apac' } as const;

/** @returns the id of the model of a stage that names none; undefined = none is known to answer in this region. */
export function defaultModelOf(region: string): string | undefined {
  if (itself.includes(region)) return MODEL;
  const profile = Object.entries(profiles).find(([beginning]) => region.startsWith(beginning))?.[1];
  return profile && `${profile}.${MODEL}`;
}

/**
 * What the right to ask a model is named by. An inference profile, which its id tells by its first part, needs the right
 * for itself and for its model in every region that it leads to (Bedrock guide, "Prerequisites for inference profiles").
 */
export function modelArns(
  modelId: string,
  { region, account, partition }: { region: string; account: string; partition: string },
): string[] {
  const inRegion = (name: string, owner: string, resource: string) =>
    `arn:${partition}:bedrock:${name}:${owner}:${resource}`;
  const model = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\.(.+)$/.exec(modelId)?.[1];
  if (model === undefined) return [inRegion(region, '', `foundation-model/${modelId}`)];
  return [inRegion(region, account, `inference-profile/${modelId}`), inRegion('*', '', `foundation-model/${model}`)];
}
