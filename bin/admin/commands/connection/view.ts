import type {
  ConsentIdentity,
  KnownOrganizations,
} from '../../../../shared/domain/connections/access/consent-identity.ts';
import { viewConnection } from '../../../../shared/domain/connections/connection-view.ts';
import { viewNewerConnection } from '../../../../shared/domain/connections/newer-connection.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findConnection, findOrg } from '../../cloud/records.ts';
import { facts, paragraphs, table } from '../../output.ts';
import type { Answer, OfOrg } from '../../verb.ts';

/** Shows the connection's current state, below any given sentences. */
export async function showConnection(cloud: Cloud, connectionId: string, ...sentences: string[]): Promise<Answer> {
  const [connection, publicUrl] = await Promise.all([findConnection(cloud, connectionId), cloud.publicUrl()]);
  const json = viewConnection(connection, publicUrl);
  return { json, people: paragraphs(sentences.length > 0 ? sentences.join('\n') : undefined, factsOf(json)) };
}

/** Formats the view of a connection for a terminal. */
export function factsOf({ settings, health, ...view }: ReturnType<typeof viewConnection>): string {
  const { consented, pending_consent: pending, ...rest } = { consented: null, pending_consent: null, ...view };
  const { status, reason, checked_at, last_delivery_at, channel_expiry, rejection, rejected_minutes, missed_sweep } =
    health;
  return facts({
    ...rest,
    ...(rest.type !== 'crm-a' && { settings, consented: consented && whoConsented(consented) }),
    ...(pending && {
      pending_consent: `${whoConsented(pending)}, until ${pending.expires_at}: connection confirm or connection refuse`,
    }),
    health: reason ? `${status} (${reason})` : status,
    ...(rest.type === 'crm-b' && { checked_at, channel_expiry }),
    last_delivery_at,
    last_rejection: rejection && `${rejection.at} (${rejection.reason})`,
    rejected_minutes,
    ...(missed_sweep && { missed_sweep: missedSweep(missed_sweep) }),
  });
}

const missedSweep = ({ at, given_up_at }: { at: string; given_up_at: string | null }): string =>
  `${at} (${given_up_at === null ? 'its leads wait for CRM-B' : `its leads were given up at ${given_up_at}`})`;

type Consented = { organizations?: KnownOrganizations | null; user?: ConsentIdentity['user'] | null };

const whoConsented = ({ organizations, user }: Consented): string =>
  `${user ? `${user.name} <${user.email}>` : 'an unknown person'} of ${
    organizations?.map(({ id, name }) => `${id} (${name})`).join(', ') ?? 'an unknown organization'
  }`;

export async function listConnections(cloud: Cloud, flags: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const publicUrl = await cloud.publicUrl();
  const { known, newer } = await cloud.connections.listToShow(org_id);
  const connections = known.map((one) => viewConnection(one, publicUrl));
  const rows = connections.map((one) => [
    one.connection_id,
    one.type,
    one.health.status,
    one.auto_call,
    one.assistant_id,
    one.trigger_owner_user_id,
    one.health.last_delivery_at,
    one.health.channel_expiry,
  ]);
  return {
    json: { connections, newer: newer.map(viewNewerConnection) },
    people: table(
      ['connection_id', 'type', 'health', 'auto_call', 'assistant', 'owner', 'last_delivery_at', 'channel_expiry'],
      [...rows, ...newer.map(({ connection_id, type }) => [connection_id, type, 'of a newer version'])],
      'The organization has no connections.',
    ),
  };
}
