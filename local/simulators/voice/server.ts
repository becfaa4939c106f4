import { simulatorApp } from '../kit/app.ts';
import { movableClock } from '../kit/clock.ts';
import { mountControl } from '../kit/control-routes.ts';
import { serve } from '../kit/serving.ts';
import { mountApi } from './routes/api.ts';
import { controlRoutes } from './routes/control.ts';
import { mountStorage } from './routes/storage.ts';
import { problem } from './rules/problems.ts';
import { VoiceState } from './state.ts';

export const defaultApiKey = 'voice-simulator-key';

export type VoiceSimulatorOptions = {
  /** Ports of the API and of the recordings; free ones by default. */
  port?: number;
  storagePort?: number;
  /** A file with the seconds to add to the machine's clock. */
  clockFile?: string;
  apiKey?: string;
  log?: (line: string) => void;
};

/**
 * Starts a voice platform with Vapi's wire format, on the loopback interface. Recordings have a separate origin, as the
 * vendor's do: an HTTP client that follows the redirect drops the Authorization header, and the storage refuses a
 * client that sends it.
 */
export async function startVoiceSimulator(
  options: VoiceSimulatorOptions = {},
): Promise<{ url: string; storageUrl: string; stop(): Promise<void> }> {
  const { port, storagePort, clockFile, apiKey = defaultApiKey, log = () => undefined } = options;
  const state = new VoiceState(movableClock(clockFile), log);
  const defect = (message: string) => problem(500, `Simulator defect: ${message}`).answer;
  const storage = simulatorApp(log, defect);
  mountStorage(storage, state);
  const api = simulatorApp(log, defect);
  mountControl(api, controlRoutes(state));
  mountApi(api, state, apiKey);
  const servedStorage = await serve(storage, storagePort);
  const served = await serve(api, port);
  state.url = served.url;
  state.storageUrl = servedStorage.url;
  return {
    url: served.url,
    storageUrl: servedStorage.url,
    async stop() {
      state.reset();
      await Promise.all([served.stop(), servedStorage.stop()]);
    },
  };
}
