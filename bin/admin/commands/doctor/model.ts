import {
  BedrockClient,
  type FoundationModelDetails,
  GetFoundationModelAvailabilityCommand,
  type GetFoundationModelAvailabilityCommandOutput,
  GetFoundationModelCommand,
  GetInferenceProfileCommand,
} from '@aws-sdk/client-bedrock';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { baseModelOf } from '../../../../lib/model.ts';
import { causeOf } from '../../failures.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';

const ANSWER_MS = 10_000;
const CATALOG = 'Open the model catalog in the console of Amazon Bedrock, and request access to the model.';
const choose = (stage: string) => `Name another model as modelId in stages/${stage}.json.`;

/** Checks that the language model exists and is offered in the region, now and in the future. */
export const model: Check = {
  name: 'model',
  rights: 'bedrock:GetInferenceProfile, bedrock:GetFoundationModel and bedrock:GetFoundationModelAvailability',
  async examine({ cloud, settings }) {
    const { modelId, modelApiUrl, name } = await settings();
    if (modelApiUrl) return [ok(`Requests go to ${modelApiUrl} instead of Amazon Bedrock.`)];
    const client = cloud.readOnlyClient(BedrockClient);
    const base = baseModelOf(modelId);
    const findings: Finding[] = [];
    if (base !== modelId) {
      const profile = await unlessMissing(
        client.send(new GetInferenceProfileCommand({ inferenceProfileIdentifier: modelId })),
      );
      if (profile?.status !== 'ACTIVE')
        return [failed(`The inference profile ${modelId} does not exist in ${cloud.place.region}.`, choose(name))];
    }
    const found = await unlessMissing(client.send(new GetFoundationModelCommand({ modelIdentifier: base })));
    if (!found?.modelDetails)
      return [failed(`The model ${base} is not offered in ${cloud.place.region}.`, choose(name))];
    findings.push(...assessModel(found.modelDetails, { isProfile: base !== modelId, fix: choose(name) }));
    const available = await client.send(new GetFoundationModelAvailabilityCommand({ modelId: base }));
    findings.push(...assessAvailability(available));
    return findingsOr(findings, `${modelId} is offered, and the account may use it.`);
  },
};

/** Judges a model's life cycle, and whether it can be used without an inference profile. */
export function assessModel(
  { modelId, modelLifecycle, inferenceTypesSupported }: Partial<FoundationModelDetails>,
  { isProfile, fix }: { isProfile: boolean; fix: string },
): Finding[] {
  const end = modelLifecycle?.endOfLifeTime?.toISOString().slice(0, 10);
  return [
    ...(modelLifecycle?.status === 'LEGACY'
      ? [
          warning(
            `${modelId} is a legacy model: calls are no longer analyzed after its end of life${end ? ` on ${end}` : ''}.`,
            fix,
          ),
        ]
      : []),
    ...(!isProfile && inferenceTypesSupported && !inferenceTypesSupported.includes('ON_DEMAND')
      ? [failed(`${modelId} is offered only through an inference profile.`, fix)]
      : []),
  ];
}

type Availability = Partial<GetFoundationModelAvailabilityCommandOutput>;

/** Judges whether the account may use a model. */
const assessAvailability = ({
  modelId,
  agreementAvailability,
  authorizationStatus,
  entitlementAvailability,
}: Availability): Finding[] => {
  const isAgreed = agreementAvailability?.status === 'AVAILABLE';
  if (isAgreed && authorizationStatus === 'AUTHORIZED' && entitlementAvailability === 'AVAILABLE') return [];
  return [
    failed(`The account may not use ${modelId} yet${isAgreed ? '' : ': its agreement is not accepted'}.`, CATALOG),
  ];
};

/** Requests one word from the model, for a fraction of a cent. */
export const modelAnswer: Check = {
  name: 'model answer',
  rights: 'bedrock:InvokeModel',
  async examine({ cloud, settings }: CheckContext) {
    const { modelId, modelApiUrl } = await settings();
    const client = cloud.readOnlyClient(BedrockRuntimeClient, {
      requestHandler: { disableConcurrentStreams: true, requestTimeout: ANSWER_MS },
      ...(modelApiUrl && { endpoint: modelApiUrl }),
    });
    const begun = performance.now();
    await client.send(
      new ConverseCommand({
        modelId,
        messages: [{ role: 'user', content: [{ text: 'Answer with the word yes.' }] }],
        inferenceConfig: { maxTokens: 5 },
      }),
    );
    return [ok(`${modelId} answered within ${((performance.now() - begun) / 1000).toFixed(1)} s.`)];
  },
};

/** @returns undefined if Bedrock does not know the model, which it may report as an invalid id */
async function unlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && (causeOf(error) === 'not_found' || error.name === 'ValidationException'))
      return undefined;
    throw error;
  }
}
