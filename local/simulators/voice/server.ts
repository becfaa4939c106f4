import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { movableClock } from '../clock.ts';
import { close, listen } from '../listening.ts';
import { serveControl } from './control-routes.ts';
import { HttpProblem, sendProblem } from './http.ts';
import { serveRecording } from './recordings.ts';
import { type Simulator, SimulatorState } from './state.ts';
import { serveVendor } from './vendor-routes.ts';

export const defaultApiKey = 'voice-simulator-key';

export type VoiceSimulatorOptions = {
  /** A free one by default. */
  port?: number;
  /** Port of the recordings' own origin; a free one by default. */
  storagePort?: number;
  /** File with the seconds to add to the machine's clock. */
  clockFile?: string;
  apiKey?: string;
  log?: (line: string) => void;
};

/**
 * Starts a voice platform that speaks Vapi's wire format, on the loopback interface only.
 *
 * Recordings are served from an origin of their own (another port), as the vendor's are: an HTTP client that follows
 * the redirect then drops the Authorization header by itself, and one that carries it along is refused.
 */
export async function startVoiceSimulator(
  options: VoiceSimulatorOptions = {},
): Promise<{ url: string; storageUrl: string; stop(): Promise<void> }> {
  const state = new SimulatorState(movableClock(options.clockFile));
  const storage = createServer((request, response) => serveRecording(state, request, response));
  const api = createServer((request, response) => void serve(simulator, request, response));
  const simulator: Simulator = {
    state,
    url: '',
    storageUrl: '',
    apiKey: options.apiKey ?? defaultApiKey,
    log: options.log ?? (() => undefined),
  };
  simulator.storageUrl = await listen(storage, options.storagePort);
  simulator.url = await listen(api, options.port);
  return {
    url: simulator.url,
    storageUrl: simulator.storageUrl,
    async stop() {
      state.reset();
      await Promise.all([close(api), close(storage)]);
    },
  };
}

async function serve(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', simulator.url);
  try {
    if (url.pathname.startsWith('/_simulator/')) await serveControl(simulator, request, response, url);
    else await serveVendor(simulator, request, response, url);
  } catch (error) {
    const problem = error instanceof HttpProblem ? error : new HttpProblem(500, `Simulator defect: ${error}`);
    if (problem.status === 500) simulator.log(`${request.method} ${url.pathname}: ${problem.message}`);
    if (!response.headersSent) sendProblem(response, problem);
  }
}
