import { Hono } from 'hono';
import * as z from 'zod';
import { Problem } from './answer.ts';
import type { SimulatorContext, SimulatorEnv } from './app.ts';
import { parsed } from './body.ts';
import type { CommonFault } from './faults.ts';
import type { Journal, SeenRequest } from './journal.ts';

const refuse = (status: number, message: string) => new Problem({ status, json: { message } });

/** Reads the body of a control request. @throws Problem 400 if the schema refuses it */
export async function controlBody<Value>(context: SimulatorContext, schema: z.ZodType<Value>): Promise<Value> {
  const result = schema.safeParse(parsed(await context.req.text()));
  if (!result.success) throw refuse(400, z.prettifyError(result.error));
  return result.data;
}

/** Adds the control routes of a simulator under `/_simulator`. They are not part of the vendor's API. */
export function mountControl(app: Hono<SimulatorEnv>, control: Hono<SimulatorEnv>): void {
  app.route('/_simulator', control);
  app.all('/_simulator/*', ({ req }) => {
    throw refuse(404, `There is no control route ${req.method} ${req.path}.`);
  });
}

/** Returns routes that read and change settings. */
export function settingsRoutes<Change>(
  schema: z.ZodType<Change>,
  read: () => object,
  change: (change: Change) => void,
): Hono<SimulatorEnv> {
  return new Hono<SimulatorEnv>()
    .get('/settings', (context) => context.json(read()))
    .put('/settings', async (context) => {
      change(await controlBody(context, schema));
      return context.json(read());
    });
}

/** Returns routes that list requests and arm faults. */
export function journalRoutes<Seen extends SeenRequest & { route: string }, Fault extends CommonFault>(
  journal: Journal<Seen, Fault>,
  faultSchema: z.ZodType<Fault>,
): Hono<SimulatorEnv> {
  return new Hono<SimulatorEnv>()
    .get('/requests', (context) => {
      const route = context.req.query('route');
      return context.json({ requests: journal.requests.filter((seen) => route === undefined || seen.route === route) });
    })
    .get('/most-in-flight', (context) => context.json(Object.fromEntries(journal.inFlight.most)))
    .get('/faults', (context) => context.json({ faults: journal.faults }))
    .post('/faults', async (context) => {
      journal.arm(await controlBody(context, faultSchema));
      return context.json({});
    })
    .delete('/faults', (context) => {
      journal.faults = [];
      return context.json({});
    });
}
