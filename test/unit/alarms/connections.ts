import { hashWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import { accessTokenProvider } from '../../../shared/operations/connections/access/connection-access.ts';
import { checkDeliveries } from '../../../shared/operations/connections/check-deliveries.ts';
import { receiveCrmALead } from '../../../shared/operations/leads/receive-crm-a-lead.ts';
import { anArmedConnection, check } from '../support/watched-connection.ts';
import { aConnection, aGrant } from '../support/worlds/items.ts';
import { aWorld, START } from '../support/worlds/world.ts';
import type { Alarm } from './alarm.ts';

/** Delivers an unreadable lead of CRM-A. */
const delivered = async (token: string, hasRejected = false) => {
  const rejection = { at: '2026-03-02T05:59:59.000Z', reason: 'unauthorized' };
  const connections = [
    aConnection({ type: 'crm-a', token_hash: hashWebhookToken('t'), ...(hasRejected && { rejection }) }),
  ];
  const world = aWorld({ connections });
  const deps = { ...world.common, leadQueue: world.queue<LeadEvent>() };
  await receiveCrmALead(deps, { connectionId: 'conn_1', token, testToken: undefined, read: () => undefined });
  return world;
};

export const alarmsOfConnections: Alarm[] = [
  [
    'ChannelDown',
    'a lost watch channel cannot be armed again',
    'a lost watch channel is armed again',
    async (rings) => {
      const world = await anArmedConnection();
      world.loseChannels();
      if (rings) world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
      await check(world);
      return world;
    },
  ],
  [
    'ChannelDown',
    'a connection never had a channel',
    'a channel cannot be checked, because the CRM does not answer',
    async (rings) => {
      const world = await anArmedConnection();
      if (rings) world.change({}, 'channel');
      for (const request of ['arm', 'list']) world.answers.set(request, { kind: 'unavailable', reason: 'x' });
      await check(world);
      return world;
    },
  ],
  [
    'ChannelCheckLate',
    'a run has no time left for a connection',
    'it has just enough time',
    async (rings) => {
      const world = await anArmedConnection();
      world.deps.timeLeftMs = () => (rings ? 119_999 : 120_000);
      await check(world);
      return world;
    },
  ],
  [
    'ConnectionSilent',
    'a connection of CRM-A got no lead for more than ten weekdays',
    'it got no lead for exactly ten',
    async (rings) => {
      const of = { type: 'crm-a', token_hash: 'hash', last_delivery_at: START } as const;
      const world = aWorld({ connections: [aConnection(of)] });
      world.pass(14 * 86_400 + (rings ? 1 : 0));
      await checkDeliveries({ ...world.common, timeLeftMs: () => 60_000 });
      return world;
    },
  ],
  [
    'GrantGone',
    'the accounts server says that a grant is no longer valid',
    'it says that the client is not valid',
    async (rings) => {
      const connection = aConnection({ grant: aGrant() });
      const world = aWorld({ connections: [connection] });
      const refused = { kind: 'refused', error: rings ? 'invalid_code' : 'invalid_client' } as const;
      const deps = {
        ...world.common,
        accounts: { refresh: async () => refused },
        clientOf: async () => ({ client_id: 'c', client_secret: 's' }),
      };
      await accessTokenProvider(deps)(connection).token();
      return world;
    },
  ],
  [
    'NotAuthenticated',
    'a delivery of a CRM has a wrong token',
    'it has the right token and a body that cannot be read',
    (rings) => delivered(rings ? 'guess' : 't'),
  ],
  [
    'NotAuthenticated',
    'a delivery has a wrong token within the minute of another one',
    'it has the right token',
    (rings) => delivered(rings ? 'guess' : 't', true),
  ],
];
