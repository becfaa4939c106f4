import { once } from 'node:events';
import http from 'node:http';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import type { Script } from '../../local/simulators/voice/scripts.ts';
import { defaultApiKey, startVoiceSimulator } from '../../local/simulators/voice/server.ts';
import { readVapiMessage } from '../../shared/integrations/voice/vapi/messages.ts';
import { vapi } from '../../shared/integrations/voice/vapi/vapi.ts';
import type { ReadMessage } from '../../shared/integrations/voice/voice-platform.ts';
import { type Behaviour, voicePlatformContract } from './voice-platform.ts';

const scripts: Record<Behaviour, Script> = {
  answers: { behaviour: 'answer' },
  'rings long': { behaviour: 'answer', ringSeconds: 100_000 },
  refuses: { behaviour: 'refuse', status: 400 },
  'is out of requests': { behaviour: 'rate-limited' },
  'refuses the key': { behaviour: 'unauthorized', status: 401 },
  'wants money': { behaviour: 'unauthorized', status: 402 },
  'fails without dialing': { behaviour: 'server-error' },
  'fails after dialing': { behaviour: 'server-error-after-dialing' },
  'never answers but dials': { behaviour: 'hang', dials: true },
  'drops the answer after dialing': { behaviour: 'drop-after-accepting' },
  'has no recording': { behaviour: 'answer', noRecording: true },
};

voicePlatformContract('Vapi', async () => {
  const simulator = await startVoiceSimulator();
  const control = voiceControl(simulator.url);
  await control.settings({ speed: 400, slots: 10_000 });

  const messages: ReadMessage[] = [];
  const listener = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const read = readVapiMessage(JSON.parse(Buffer.concat(chunks).toString('utf8')), new Date());
    if (read) messages.push(read);
    response.end();
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const port = typeof address === 'object' ? address?.port : 0;

  const adapter = (url: string, timeoutMs = 10_000) =>
    vapi({
      url,
      timeoutMs,
      credentials: async () => ({ api_key: defaultApiKey, phone_number_id: '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10' }),
      now: () => new Date(),
    });
  const platform = adapter(simulator.url);
  return {
    platform,
    impatient: adapter(simulator.url, 500),
    unreachable: adapter('http://127.0.0.1:9'),
    reportsUrl: `http://127.0.0.1:${port}/`,
    behave: (phoneNumber, behaviour) => control.script(phoneNumber, scripts[behaviour]),
    rings: (phoneNumber) => control.rings(phoneNumber),
    requests: async (phoneNumber) => (await control.requests(phoneNumber)).length,
    async crowd(calls, request) {
      // They only ring, because their conversations would cost the machine much.
      await control.defaultScript(scripts['rings long']);
      await Promise.all(Array.from({ length: calls }, () => platform.dial(request())));
    },
    messages: () => messages,
    async stop() {
      listener.closeAllConnections();
      listener.close();
      await simulator.stop();
    },
  };
});
