import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { Answer } from '../answer.ts';
import { parsed } from '../body.ts';
import { flat } from './answers.ts';
import { faultSchema } from './faults.ts';
import { grantOf, issueAccess, issueGrant, revoke } from './grants.ts';
import { deleteLead, leadRecord, putLeads, writtenRecord } from './leads.ts';
import { release } from './notifications.ts';
import { settingsChangeSchema } from './settings.ts';
import type { CrmBState, Simulator, Written } from './state.ts';
import { activeChannels } from './watch.ts';

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
const clientSchema = z.strictObject({
  secret: z.string(),
  redirectUris: z.array(z.string()).optional(),
  dataCenters: z.array(z.string()).optional(),
});
const userSchema = z.strictObject({ name: z.string(), email: z.string(), org: z.string() });
const grantSchema = z.strictObject({ clientId: z.string(), scopes: z.array(z.string()), user: z.string().optional() });
const channelSchema = z.strictObject({ silent: z.boolean().optional() });

export type LeadPut = z.infer<typeof leadSchema>;
export type ClientPut = z.infer<typeof clientSchema>;
export type UserPut = z.infer<typeof userSchema>;
export type GrantPut = z.infer<typeof grantSchema>;

/** Telling the simulator what to do, and asking what happened. Not part of the vendor's API. */
export function serveControl(simulator: Simulator, request: IncomingMessage, url: URL, text: string): Answer {
  const { state } = simulator;
  const [, resource, name = ''] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const body = parsed(text);
  const ok = (json: unknown): Answer => ({ status: 200, json });
  switch (`${request.method} ${resource}`) {
    case 'PUT clients': {
      const { secret, redirectUris, dataCenters } = parse(clientSchema, body);
      const client = { id: name, secret, ...(redirectUris && { redirectUris }), ...(dataCenters && { dataCenters }) };
      state.clients.set(name, client);
      return ok(client);
    }
    case 'PUT users':
      state.users.set(name, { id: name, ...parse(userSchema, body) });
      return ok(state.users.get(name));
    case 'GET users':
      return ok({ users: [...state.users.values()] });
    case 'PUT settings':
      state.change(parse(settingsChangeSchema, body) as Parameters<CrmBState['change']>[0]);
      return ok(state.settings);
    case 'GET settings':
      return ok(state.settings);
    case 'PUT leads':
      return ok({ ids: putLeads(simulator, parse(z.array(leadSchema), body)) });
    case 'GET leads':
      return ok({ leads: [...state.leads.values()].map((lead) => leadRecord(state, lead)) });
    case 'DELETE leads':
      return ok({ deleted: deleteLead(simulator, name) });
    case 'GET written':
      return ok({ written: state.written.map((each) => view(state, each)) });
    case 'POST grants':
      return ok(grant(state, parse(grantSchema, body)));
    case 'GET grants':
      return ok({ grants: state.refreshTokens });
    case 'DELETE grants':
      for (const each of state.refreshTokens) {
        if (!name || each.token === name) revoke(each);
        for (const access of each.access) if (access.token === name) access.revoked = true;
      }
      return ok({});
    case 'GET token':
      return ok({ grant: grantOf(state, name)?.grant ?? null });
    case 'GET channels':
      return ok({ channels: activeChannels(state) });
    case 'PATCH channels': {
      const { silent } = parse(channelSchema, body);
      for (const channel of state.channels) if (channel.channelId === name) channel.silent = silent ?? channel.silent;
      return ok({});
    }
    case 'DELETE channels':
      state.channels = state.channels.filter(({ channelId }) => name !== '' && channelId !== name);
      return ok({});
    case 'GET notifications':
      return ok({ notifications: state.sent, held: state.held.length });
    case 'POST release':
      return ok({ released: release(simulator) });
    case 'GET requests': {
      const route = url.searchParams.get('route');
      return ok({ requests: state.requests.filter((seen) => route === null || seen.route === route) });
    }
    case 'GET most-in-flight':
      return ok(Object.fromEntries(state.inFlight.most));
    case 'POST faults':
      state.faults.push({ ...parse(faultSchema, body), skipped: 0, befell: 0 });
      return ok({});
    case 'GET faults':
      return ok({ faults: state.faults });
    case 'DELETE faults':
      state.faults = [];
      return ok({});
    case 'GET idle':
      return ok({ idle: state.underWay.size === 0 });
    case 'POST reset':
      state.reset();
      return ok({});
    default:
      throw flat(404, 'NOT_FOUND', `Cannot ${request.method} ${url.pathname}`);
  }
}

/** A grant without the walk through the consent page. */
function grant(state: CrmBState, { clientId, scopes, user }: GrantPut): { refreshToken: string; accessToken: string } {
  const made = issueGrant(state, { clientId, scopes, userId: state.someUser(user).id, withRefresh: true });
  const access = made === 'throttled' ? made : issueAccess(state, made);
  if (made === 'throttled' || access === 'throttled') throw flat(429, 'THROTTLED', 'too many tokens of late');
  return { refreshToken: made.token ?? '', accessToken: access.token };
}

/** A call or note as a test sees it: the record, and the request that made it. */
export type WrittenView = Omit<Written, 'fields'> & {
  record: Record<string, unknown>;
  request: CrmBState['requests'][number] | null;
};

function view(state: CrmBState, written: Written): WrittenView {
  const { fields: _, ...rest } = written;
  const request = state.requests.find(({ number }) => number === written.requestNumber) ?? null;
  return { ...rest, record: writtenRecord(state, written), request };
}

function parse<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (!result.success) throw flat(400, 'INVALID_DATA', z.prettifyError(result.error));
  return result.data;
}
