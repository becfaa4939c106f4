import { Hono } from 'hono';
import type { SimulatorEnv } from '../../kit/app.ts';
import { controlBody, settingsRoutes } from '../../kit/control-routes.ts';
import type { HeldCall, ReceivedRequest, SentMessage, VendorCall } from '../model.ts';
import { type Script, scriptSchema, scriptsSchema, settingsSchema } from '../scripts.ts';
import type { VoiceState } from '../state.ts';

/** A call as a test sees it. */
export type CallView = {
  id: string;
  number: string;
  attempt: number;
  behaviour: Script['behaviour'];
  rang: boolean;
  live: boolean;
  deleted: boolean;
  deletions: number;
  request: ReceivedRequest['body'];
  messages: SentMessage[];
  call: VendorCall;
};

export const controlRoutes = (state: VoiceState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>()
    .route(
      '/',
      settingsRoutes(
        settingsSchema.partial(),
        () => state.settings,
        (changes) => state.change(changes),
      ),
    )
    .put('/scripts/:number', async (context) => {
      const { scripts } = await controlBody(context, scriptsSchema);
      state.setScripts(context.req.param('number'), scripts);
      return context.json({ scripts });
    })
    .put('/default-script', async (context) => {
      const script = await controlBody(context, scriptSchema);
      state.setDefaultScript(script);
      return context.json(script);
    })
    .get('/rings', (context) => {
      const number = context.req.query('number');
      return context.json(number === undefined ? state.allRings() : { number, rings: state.rings(number) });
    })
    .get('/calls', (context) => context.json({ calls: itemsOf(state.calls, context.req.query('number')).map(view) }))
    .get('/requests', (context) => context.json({ requests: itemsOf(state.requests, context.req.query('number')) }))
    .get('/max-live', (context) => context.json({ maxLive: state.maxLive }))
    .get('/idle', (context) => context.json({ idle: state.pending.size === 0 && state.liveCount() === 0 }))
    .post('/reset', (context) => {
      state.reset();
      return context.json({});
    });

/** The items of a number, or all. */
const itemsOf = <Item extends { number: string }>(items: Item[], number: string | undefined): Item[] =>
  items.filter((item) => number === undefined || item.number === number);

function view(held: HeldCall): CallView {
  const { call, request, number, attempt, script, rang, live, deleted, deletions, messages } = held;
  const facts = { id: call.id, number, attempt, behaviour: script.behaviour, rang, live, deleted, deletions };
  return { ...facts, request, messages, call };
}
