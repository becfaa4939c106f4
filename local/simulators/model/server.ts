import { simulatorApp } from '../kit/app.ts';
import { mountControl } from '../kit/control-routes.ts';
import { serve, serveHttp2 } from '../kit/serving.ts';
import { controlRoutes } from './routes/control.ts';
import { mountConverse } from './routes/converse.ts';
import { ModelState } from './state.ts';

export type ModelSimulatorOptions = {
  /** Ports of the model and of its control; free ones by default. */
  port?: number;
  controlPort?: number;
  log?: (line: string) => void;
};

/**
 * Starts a model with the wire format of Amazon Bedrock's Converse over HTTP/2 without TLS, on the loopback interface.
 * It understands nothing: it answers by plain rules from the transcript, and says so. Its control routes are on a
 * server of their own, because fetch does not speak HTTP/2 without TLS.
 * @returns `url` for AWS_ENDPOINT_URL_BEDROCK_RUNTIME, `controlUrl` for `modelControl`.
 */
export async function startModelSimulator({
  port,
  controlPort,
  log = () => undefined,
}: ModelSimulatorOptions = {}): Promise<{ url: string; controlUrl: string; stop(): Promise<void> }> {
  const state = new ModelState();
  const defect = (message: string) => ({ status: 500, json: { message } });
  const model = simulatorApp(log, defect);
  mountConverse(model, state, log);
  const control = simulatorApp(log, defect);
  mountControl(control, controlRoutes(state));
  const served = await serveHttp2(model, port);
  const controlServed = await serve(control, controlPort);
  return {
    url: served.url,
    controlUrl: controlServed.url,
    async stop() {
      state.stopController.abort();
      await Promise.all([served.stop(), controlServed.stop()]);
    },
  };
}
