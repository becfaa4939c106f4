import {
  defaultPermissions,
  permissions as knownPermissions,
  type Permission,
} from '../../../shared/domain/organizations/permission.ts';
import { createApiKey } from '../../../shared/operations/organizations/create-api-key.ts';
import { revokeApiKey } from '../../../shared/operations/organizations/revoke-api-key.ts';
import { withLastUse } from '../../../shared/operations/organizations/steps/with-last-use.ts';
import type { ApiKey } from '../../../shared/stores/organizations/admission.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { findOrg } from '../cloud/records.ts';
import { Refusal } from '../failures.ts';
import { facts, printable, table } from '../output.ts';
import { invalid, list as members, oneOf, text } from '../values.ts';
import { type Answer, type Noun, type OfOrg, optional, orgOption, required, verb } from '../verb.ts';

type Creation = OfOrg & { name: string; permissions: string };

export const key: Noun = {
  name: 'key',
  summary: 'API keys',
  verbs: [
    verb<Creation>({
      usage: 'create',
      summary: 'Creates an API key and shows its value, which is not stored',
      options: [
        orgOption,
        required('--name <text>', 'who or what uses the key'),
        optional(
          '--permissions <list>',
          `comma-separated, of ${knownPermissions.join(', ')}`,
          defaultPermissions.join(','),
        ),
      ],
      act: create,
    }),
    verb<OfOrg>({ usage: 'list', summary: 'Lists the keys of an organization', options: [orgOption], act: list }),
    verb<{ key: string }>({
      usage: 'revoke',
      summary: 'Revokes a key: the next request with it is refused',
      options: [required('--key <id>', 'key ID')],
      act: revoke,
    }),
  ],
};

const viewKey = ({ key_hash: _, ...one }: ApiKey) => ({ ...one, revoked_at: one.revoked_at ?? null });

function readPermissions(value: string): Permission[] {
  const given = members(value).map((permission) => oneOf('--permissions', permission, knownPermissions));
  if (given.length === 0) throw invalid(`--permissions must name at least one of ${knownPermissions.join(', ')}.`);
  return given;
}

async function create(cloud: Cloud, flags: Creation): Promise<Answer> {
  const name = text('--name', flags.name);
  const permissions = readPermissions(flags.permissions);
  const { org_id } = await findOrg(cloud, flags.org);
  const created = await createApiKey(cloud, await cloud.operator(), { org_id, name, permissions });
  if (created.kind !== 'created') throw new Error(created.kind);
  const { key_id, created_at } = created.key;
  return {
    json: { key_id, api_key: created.value, permissions, org_id, name, created_at },
    people: `Key ${key_id} (${permissions.join(', ')}) was created. Save its value now; it is not shown again:\n\n  ${created.value}`,
  };
}

async function list(cloud: Cloud, flags: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const stored = await cloud.apiKeys.listOfOrg(org_id);
  const keys = (await Promise.all(stored.map((one) => withLastUse(cloud, one)))).map(viewKey);
  const rows = keys.map((one) => [one.key_id, one.name, one.permissions.join(', '), one.created_at, one.revoked_at]);
  return {
    json: { keys },
    people: table(
      ['key_id', 'name', 'permissions', 'created_at', 'revoked_at'],
      rows,
      'The organization has no API keys.',
    ),
  };
}

async function revoke(cloud: Cloud, flags: { key: string }): Promise<Answer> {
  const result = await revokeApiKey(cloud, await cloud.operator(), { key_id: flags.key });
  if (result.kind === 'key_not_found')
    throw new Refusal(
      'key_not_found',
      `Key ${flags.key} does not exist: key list --org … lists the keys of an organization.`,
    );
  const revoked = viewKey(result.key);
  return { json: revoked, people: `Key ${printable(revoked.name)} is revoked.\n\n${facts(revoked)}` };
}
