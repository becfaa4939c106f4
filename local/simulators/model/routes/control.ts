import { Hono } from 'hono';
import type { SimulatorEnv } from '../../kit/app.ts';
import { controlBody } from '../../kit/control-routes.ts';
import { faultSchema } from '../faults.ts';
import type { ModelState } from '../state.ts';

export function controlRoutes({ journal }: ModelState): Hono<SimulatorEnv> {
  return new Hono<SimulatorEnv>()
    .get('/requests', (context) => {
      const text = context.req.query('transcriptHas') ?? '';
      return context.json({ requests: journal.requests.filter(({ transcript }) => transcript.includes(text)) });
    })
    .get('/faults', (context) => context.json({ faults: journal.faults }))
    .post('/faults', async (context) => {
      journal.arm(await controlBody(context, faultSchema));
      return context.json({});
    })
    .delete('/faults', (context) => {
      const text = context.req.query('whenTranscriptHas');
      journal.faults = journal.faults.filter(
        ({ whenTranscriptHas }) => text !== undefined && whenTranscriptHas !== text,
      );
      return context.json({});
    })
    .post('/reset', (context) => {
      journal.reset();
      return context.json({});
    });
}
