import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { voiceControl } from '../../../local/simulators/voice/control.ts';
import type { CreateCall } from '../../../local/simulators/voice/create-call.ts';
import type { VendorCall } from '../../../local/simulators/voice/model.ts';
import { defaultApiKey, startVoiceSimulator } from '../../../local/simulators/voice/server.ts';
import { VoiceError, voiceClient } from './voice-client.ts';

export const number = '+919812345678';
export const phoneNumberId = '0b3c5f5e-6a5e-4d8e-9b52-3f6d6f0a1c11';
export const assistant: CreateCall['assistant'] = {
  firstMessage: 'Namaste, this is Asha.',
  model: { provider: 'openai', model: 'gpt-4.1-mini', messages: [{ role: 'system', content: 'Be brief.' }] },
  voice: { provider: 'vapi', voiceId: 'Clara' },
};
export const request = (changes: Partial<CreateCall> = {}): CreateCall => ({
  phoneNumberId,
  customer: { number },
  assistant,
  ...changes,
});
export const rejection = async (promise: Promise<unknown>): Promise<VoiceError> => {
  await expect(promise).rejects.toThrow(VoiceError);
  return promise.catch((error: VoiceError) => error) as Promise<VoiceError>;
};
export const secondsOf = ({ startedAt, endedAt }: VendorCall) =>
  (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
export const hangUp = (url = '') => fetch(url, { method: 'POST', body: '{"type":"end-call"}' });

/** Starts a simulator of the voice platform. `begin` belongs before each test, and `end` after the last. */
export async function startVoice() {
  const directory = mkdtempSync(join(tmpdir(), 'voice-simulator-'));
  const clockFile = join(directory, 'clock');
  const simulator = await startVoiceSimulator({ clockFile });
  const control = voiceControl(simulator.url);
  const platform = voiceClient(simulator.url, defaultApiKey);
  const place = (changes: Partial<CreateCall> = {}) => platform.create(request(changes));
  const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));
  return {
    ...{ simulator, control, platform, clockFile, place, moveClock },
    placeAndEnd: async (changes: Partial<CreateCall> = {}) => {
      const { id } = await place(changes);
      await control.untilIdle();
      return platform.get(id);
    },
    post: (body: unknown, key = defaultApiKey) =>
      fetch(`${simulator.url}/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    begin: async () => {
      moveClock(0);
      await control.reset();
      await control.settings({ speed: 500 });
    },
    end: async () => {
      await simulator.stop();
      rmSync(directory, { recursive: true });
    },
  };
}
