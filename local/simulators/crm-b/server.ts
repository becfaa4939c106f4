import { simulatorApp } from '../kit/app.ts';
import { mountControl } from '../kit/control-routes.ts';
import { Journal } from '../kit/journal.ts';
import { serve } from '../kit/serving.ts';
import { type AccountsOptions, startAccountsServer } from '../zoho-accounts/server.ts';
import type { Fault } from './faults.ts';
import type { SeenRequest } from './model.ts';
import { mountApi } from './routes/api.ts';
import { controlRoutes } from './routes/control.ts';
import { mountPages } from './routes/pages.ts';
import { flat } from './rules/problems.ts';
import { CrmBState } from './state.ts';

export type CrmBSimulatorOptions = Pick<AccountsOptions, 'clockFile' | 'clients' | 'log'> & {
  /** Ports of the API and of the accounts server; free ones by default. */
  port?: number;
  accountsPort?: number;
};

/**
 * Starts a CRM with the wire format of Zoho CRM v8 and its accounts server, on the loopback interface. Its control
 * routes are under `/_simulator/`, and also control the accounts server. Its pages for people are under `/leads`.
 */
export async function startCrmBSimulator(
  options: CrmBSimulatorOptions = {},
): Promise<{ url: string; accountsUrl: string; stop(): Promise<void> }> {
  const { port, accountsPort, log = () => undefined, ...rest } = options;
  const journal = new Journal<SeenRequest, Fault>();
  const accounts = await startAccountsServer({ ...rest, journal, log, ...(accountsPort && { port: accountsPort }) });
  const state = new CrmBState(accounts.state, journal, log);
  const app = simulatorApp(log, (message) => flat(500, 'SIMULATOR_DEFECT', message).answer);
  mountControl(app, controlRoutes(state));
  mountPages(app, state);
  mountApi(app, state);
  const served = await serve(app, port);
  accounts.state.setAddresses(accounts.url, served.url);
  return {
    url: served.url,
    accountsUrl: accounts.url,
    async stop() {
      state.reset();
      await Promise.all([served.stop(), accounts.stop()]);
    },
  };
}
