import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { vapi, vapiCredentials } from '../integrations/voice/vapi/vapi.ts';
import type { CallLookup, VoicePlatform } from '../integrations/voice/voice-platform.ts';
import { bounded } from '../runtime/aws.ts';
import type { Clock } from '../runtime/clock.ts';
import { secretReader } from '../stores/secrets.ts';

type Config = { VOICE_API_URL: string; VOICE_SECRET_ID: string; VOICE_TIMEOUT_MS: number };

/** Composes the voice platform with a clock, and the lookups of one run. All share the cached key. */
export function wireVoice(config: Config): (now: Clock) => { voice: VoicePlatform; lookup: CallLookup } {
  const secrets = new SecretsManagerClient(bounded());
  const credentials = secretReader(secrets, config.VOICE_SECRET_ID, vapiCredentials);
  return (now) => {
    const voice = vapi({ url: config.VOICE_API_URL, credentials, now, timeoutMs: config.VOICE_TIMEOUT_MS });
    return { voice, lookup: voice.lookup() };
  };
}
