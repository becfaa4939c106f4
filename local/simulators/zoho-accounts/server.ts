import { Hono } from 'hono';
import { type SimulatorEnv, simulatorApp } from '../kit/app.ts';
import { movableClock } from '../kit/clock.ts';
import { journalRoutes, mountControl, settingsRoutes } from '../kit/control-routes.ts';
import type { Journal } from '../kit/journal.ts';
import { serve } from '../kit/serving.ts';
import { type AccountsFault, accountsFaultSchema } from './faults.ts';
import { type Client, defaultClient, type ZohoRequest } from './model.ts';
import { accountsRoutes } from './routes/control.ts';
import { mountOauth } from './routes/oauth.ts';
import { accountsSettingsSchema } from './settings.ts';
import { AccountsState } from './state.ts';

export type AccountsOptions = {
  /** A free one by default. */
  port?: number;
  /** A file with the seconds to add to the machine's clock. */
  clockFile?: string;
  /** The first clients; one that may redirect to any loopback address by default. */
  clients?: Client[];
  /** The address that tokens name as the API's. */
  apiUrl?: string;
  /** The journal of an API whose control routes also control this server. */
  journal?: Journal<ZohoRequest, AccountsFault>;
  log?: (line: string) => void;
};

/** A running accounts server. Its state serves the API that shares its process. */
export type AccountsServer = { url: string; state: AccountsState; stop(): Promise<void> };

/**
 * Starts Zoho's accounts server for all of the vendor's products, on the loopback interface. Its control routes are
 * under `/_simulator/`.
 */
export async function startAccountsServer(options: AccountsOptions = {}): Promise<AccountsServer> {
  const { port, clockFile, clients = [defaultClient], apiUrl = '', journal, log = () => undefined } = options;
  const state = new AccountsState(movableClock(clockFile), clients, journal);
  const app = simulatorApp(log, (message) => ({ status: 500, json: { error: 'simulator_defect', message } }));
  mountControl(app, controlOf(state));
  mountOauth(app, state, log);
  const served = await serve(app, port);
  state.setAddresses(served.url, apiUrl);
  return {
    url: served.url,
    state,
    async stop() {
      state.reset();
      await served.stop();
    },
  };
}

const controlOf = (state: AccountsState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>()
    .route('/', accountsRoutes(state))
    .route('/', journalRoutes(state.journal, accountsFaultSchema))
    .route(
      '/',
      settingsRoutes(
        accountsSettingsSchema.partial(),
        () => state.settings,
        (changes) => state.change(changes),
      ),
    )
    .post('/reset', (context) => {
      state.reset();
      return context.json({});
    });
