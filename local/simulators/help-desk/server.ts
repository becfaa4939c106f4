import { simulatorApp } from '../kit/app.ts';
import { movableClock } from '../kit/clock.ts';
import { mountControl } from '../kit/control-routes.ts';
import { type Served, serve } from '../kit/serving.ts';
import { accountsControl } from '../zoho-accounts/control.ts';
import type { GrantLookup } from './model.ts';
import { mountApi } from './routes/api.ts';
import { controlRoutes } from './routes/control.ts';
import { mountPages } from './routes/pages.ts';
import { HelpDeskState } from './state.ts';

export type HelpDeskSimulatorOptions = {
  /** A free one by default. */
  port?: number;
  /** A file with the seconds to add to the machine's clock. */
  clockFile?: string;
  /**
   * The address of the accounts server that issues the access tokens, or a lookup in its place. Every request is looked
   * up, so that an expired or revoked token is refused at once.
   */
  grants: string | GrantLookup;
  log?: (line: string) => void;
};

/**
 * Starts a help desk with the wire format of Zoho Desk v1, on the loopback interface. Its control routes are under
 * `/_simulator/`, and its pages for people under `/tickets`.
 */
export async function startHelpDeskSimulator(options: HelpDeskSimulatorOptions): Promise<Served> {
  const { grants, port, clockFile, log = () => undefined } = options;
  const state = new HelpDeskState(movableClock(clockFile));
  const grantOf = typeof grants === 'string' ? accountsControl(grants).grantOf : grants;
  const app = simulatorApp(log, (message) => ({ status: 500, json: { errorCode: 'SIMULATOR_DEFECT', message } }));
  mountControl(app, controlRoutes(state));
  mountPages(app, state);
  mountApi(app, { state, grantOf, log });
  const served = await serve(app, port);
  state.url = served.url;
  return {
    url: served.url,
    async stop() {
      state.reset();
      await served.stop();
    },
  };
}
