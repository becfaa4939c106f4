import type { Command } from 'commander';
import { mayBeId } from '../../shared/domain/ids.ts';
import {
  defaultPermissions,
  permissions as knownPermissions,
  type Permission,
} from '../../shared/domain/organizations/api-key.ts';
import { createApiKey } from '../../shared/operations/organizations/create-api-key.ts';
import type { ApiKey } from '../../shared/stores/organizations/api-keys.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { findOrg } from './org.ts';
import { facts, printable, table } from './output.ts';
import { invalid, list, oneOf, text } from './values.ts';

/** API keys: their values are shown once and kept nowhere. */
export function addKey(program: Command): void {
  const noun = program.command('key').description('API keys');
  verb(noun, 'create', 'a new key; its value is shown only now')
    .requiredOption('--org <id>', 'the org')
    .requiredOption('--name <text>', 'who or what uses it')
    .option('--permissions <list>', `of ${knownPermissions.join(', ')}`, defaultPermissions.join(','))
    .action(acting<{ org: string; name: string; permissions: string }>(create));
  verb(noun, 'list', 'the keys of an org')
    .requiredOption('--org <id>', 'the org')
    .action(acting<{ org: string }>(listKeys));
  verb(noun, 'revoke', 'ends a key; the next request with it is refused')
    .requiredOption('--key <id>', 'the key_id')
    .action(acting<{ key: string }>(revoke));
}

const view = ({ key_hash: _, ...key }: ApiKey) => ({ ...key, revoked_at: key.revoked_at ?? null });

function readPermissions(value: string): Permission[] {
  const given = list(value).map((permission) => oneOf('--permissions', permission, knownPermissions));
  if (given.length === 0) throw invalid(`--permissions must name at least one of ${knownPermissions.join(', ')}.`);
  return given;
}

async function create(cloud: Cloud, flags: { org: string; name: string; permissions: string }): Promise<Answer> {
  const name = text('--name', flags.name);
  const permissions = readPermissions(flags.permissions);
  const { org_id } = await findOrg(cloud, flags.org);
  const { key, value } = await createApiKey(cloud, { org_id, name, permissions });
  return {
    json: { key_id: key.key_id, api_key: value, permissions, org_id, name, created_at: key.created_at },
    people: `The key ${key.key_id} (${permissions.join(', ')}) is created. Keep its value now; it is not shown again:\n\n  ${value}`,
  };
}

async function listKeys(cloud: Cloud, flags: { org: string }): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const keys = (await cloud.apiKeys.listOfOrg(org_id)).map(view);
  const rows = keys.map((key) => [key.key_id, key.name, key.permissions.join(', '), key.created_at, key.revoked_at]);
  return {
    json: { keys },
    people: table(['key_id', 'name', 'permissions', 'created_at', 'revoked_at'], rows, 'The org has no key.'),
  };
}

async function revoke(cloud: Cloud, flags: { key: string }): Promise<Answer> {
  const key = mayBeId(flags.key) ? await cloud.apiKeys.find(flags.key) : undefined;
  if (!key) throw new Refusal('key_not_found', `There is no key ${flags.key}: key list --org … shows them.`);
  await cloud.apiKeys.revoke(key.key_hash, cloud.now().toISOString());
  // By its hash, because the index behind key ids may be a moment late.
  const revoked = view((await cloud.apiKeys.get(key.key_hash)) ?? key);
  return { json: revoked, people: `${printable(revoked.name)} is revoked.\n\n${facts(revoked)}` };
}
