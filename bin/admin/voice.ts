import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { vapi, vapiCredentials } from '../../shared/integrations/voice/vapi/vapi.ts';
import type { VoicePlatform } from '../../shared/integrations/voice/voice-platform.ts';
import { secretReader } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud/cloud.ts';
import { Refusal } from './failures.ts';

/** Opens the stage's account at the voice platform. @throws Refusal not_deployed. */
export const voicePlatform = async (cloud: Cloud): Promise<VoicePlatform> =>
  vapi({
    url: await voiceUrl(cloud),
    credentials: secretReader(cloud.secrets, cloud.named.secret('voice'), vapiCredentials),
    now: cloud.now,
  });

async function voiceUrl(cloud: Cloud): Promise<string> {
  if (cloud.voiceUrl) return cloud.voiceUrl;
  const name = cloud.named.function('dial-call');
  const { Environment } = await cloud.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const url = Environment?.Variables?.VOICE_API_URL;
  if (!url) throw new Refusal('not_deployed', `${name} has no address of the voice platform: set VOICE_API_URL.`);
  return url;
}
