import { Hono } from 'hono';
import * as z from 'zod';
import type { SimulatorEnv } from '../../kit/app.ts';
import { controlBody, journalRoutes, settingsRoutes } from '../../kit/control-routes.ts';
import { accountsRoutes } from '../../zoho-accounts/routes/control.ts';
import { accountsSettingsSchema } from '../../zoho-accounts/settings.ts';
import { faultSchema } from '../faults.ts';
import type { SeenRequest, Written } from '../model.ts';
import { activeChannels } from '../rules/channels.ts';
import { deleteLead, putLeads } from '../rules/leads.ts';
import { release } from '../rules/notifications.ts';
import { leadRecord, writtenRecord } from '../rules/records.ts';
import { settingsChangeSchema } from '../settings.ts';
import type { CrmBState } from '../state.ts';

const leadSchema = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional(),
  org: z.string().optional(),
  owner: z.string().optional(),
  quiet: z.boolean().optional(),
  fields: z.record(z.string(), z.unknown()),
});
const channelSchema = z.strictObject({ silent: z.boolean() });
const bothSettingsSchema = z.strictObject({
  ...accountsSettingsSchema.partial().shape,
  ...settingsChangeSchema.shape,
});

export type LeadPut = z.infer<typeof leadSchema>;
export type SettingsPut = z.infer<typeof bothSettingsSchema>;

/** Returns the control routes for the CRM and for its accounts server. */
export function controlRoutes(state: CrmBState): Hono<SimulatorEnv> {
  const { accounts } = state;
  const both = () => ({ ...accounts.settings, ...state.settings });
  const change = (changes: SettingsPut) => {
    accounts.change(changes);
    state.change(changes);
  };
  return new Hono<SimulatorEnv>()
    .route('/', accountsRoutes(accounts))
    .route('/', journalRoutes(state.journal, faultSchema))
    .route('/', settingsRoutes(bothSettingsSchema, both, change))
    .route('/', channelRoutes(state))
    .put('/leads', async (context) =>
      context.json({ ids: putLeads(state, await controlBody(context, z.array(leadSchema))) }),
    )
    .get('/leads', (context) =>
      context.json({ leads: [...state.leads.values()].map((lead) => leadRecord(state, lead)) }),
    )
    .delete('/leads/:id', (context) => context.json({ deleted: deleteLead(state, context.req.param('id')) }))
    .get('/written', (context) => context.json({ written: state.written.map((each) => view(state, each)) }))
    .get('/idle', (context) => context.json({ idle: state.pending.size === 0 }))
    .post('/reset', (context) => {
      state.reset();
      return context.json({});
    });
}

const channelRoutes = (state: CrmBState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>()
    .get('/channels', (context) => context.json({ channels: activeChannels(state) }))
    .patch('/channels/:id', async (context) => {
      const { silent } = await controlBody(context, channelSchema);
      for (const channel of state.channels) if (channel.channelId === context.req.param('id')) channel.silent = silent;
      return context.json({});
    })
    .delete('/channels/:id?', (context) => {
      const id = context.req.param('id');
      state.channels = state.channels.filter(({ channelId }) => id !== undefined && channelId !== id);
      return context.json({});
    })
    .get('/notifications', (context) => context.json({ notifications: state.sent, held: state.held.length }))
    .post('/release', (context) => context.json({ released: release(state) }));

/** A call or note as a test sees it: the record, and the request that wrote it. */
export type WrittenView = Omit<Written, 'fields'> & { record: Record<string, unknown>; request: SeenRequest | null };

function view(state: CrmBState, written: Written): WrittenView {
  const { fields: _, ...rest } = written;
  const request = state.journal.requests.find(({ number }) => number === written.requestNumber) ?? null;
  return { ...rest, record: writtenRecord(state, written), request };
}
