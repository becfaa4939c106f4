import type { Stack } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { FunctionName } from '../../../../lib/functions.ts';
import { readLocalStage, readStoredStage, type Stage } from '../../../../lib/stage.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { type StackPart, stackOfPart, stackParts } from '../../cloud/failed-stacks.ts';

/** Data that several checks of a stage share, each part read once, and functions that write recommended commands. */
export type CheckContext = ReturnType<typeof checkContextOf>;

export function checkContextOf(cloud: Cloud) {
  const { stage, region } = cloud.place;
  const stacks = once(() => stacksOf(cloud));
  return {
    cloud,
    /** Reads the stage's settings. @throws StageError if its file is wrong */
    settings: once(() => settingsOf(cloud)),
    stacks,
    /** Returns a stack of the stage. @throws NotDeployed */
    async requireStack(part: StackPart): Promise<Stack> {
      const stack = (await stacks())[part];
      if (!stack) throw new NotDeployed(part);
      return stack;
    },
    /** Writes a command of this program. @param file its standard input */
    admin: (command: string, file?: string): string =>
      `npm run --silent admin -- ${command}${cloud.place.emulatorUrl ? '' : ` --stage ${stage}${region ? ` --aws-region ${region}` : ''}`}${file ? ` < ${file}` : ''}`,
    /** Writes a command of the AWS CLI. @param inRegion by default, the stage's region */
    aws: (command: string, inRegion = region): string => `aws ${command}${inRegion ? ` --region ${inRegion}` : ''}`,
  };
}

/** Reads once for all callers. If the read fails, each caller gets the same error. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => (reading ??= read());
}

async function stacksOf(cloud: Cloud): Promise<Partial<Record<StackPart, Stack>>> {
  const found = await Promise.all(stackParts.map(async (part) => [part, await stackOfPart(part, cloud)] as const));
  return Object.fromEntries(found.filter(([, stack]) => stack !== undefined));
}

/** Reads the settings. The local stage has no file, so its settings come from its functions. */
async function settingsOf(cloud: Cloud): Promise<Stage> {
  const { stage, region } = cloud.place;
  if (stage !== 'local') return readStoredStage(stage, region ? { AWS_REGION: region } : {}, cloud.stageFile);
  const [finish, send] = await Promise.all((['finish-call', 'send-notices'] as const).map(variablesOf(cloud)));
  const context = {
    modelId: finish?.MODEL_ID,
    modelApiUrl: finish?.AWS_ENDPOINT_URL_BEDROCK_RUNTIME,
    mailFrom: send?.MAIL_FROM,
    voiceApiUrl: cloud.voiceUrl ?? finish?.VOICE_API_URL,
  };
  const given = Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
  return readLocalStage(given, region ? { AWS_REGION: region } : {});
}

const variablesOf = (cloud: Cloud) => async (name: FunctionName) => {
  const FunctionName = cloud.named.function(name);
  const command = new GetFunctionConfigurationCommand({ FunctionName });
  return (await cloud.readOnlyClient(LambdaClient).send(command)).Environment?.Variables;
};

/** Thrown by a check whose stack does not exist yet. */
export class NotDeployed extends Error {
  override readonly name = 'NotDeployed';
}
