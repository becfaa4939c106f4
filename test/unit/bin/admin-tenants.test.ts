import { nouns } from '../../../bin/admin/program.ts';
import type { Noun } from '../../../bin/admin/verb.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { aConnection, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';

const OTHER = 'org9999999999999999';
const PHONE = '+919800000002';
const DOCUMENT = `kb_${'9'.repeat(24)}`;
const ofOther = { org_id: OTHER, created_at: '2026-01-01T00:00:00.000Z' };

/** An organization's items whose ids the commands name, beside the items of `OTHER`. */
function aStage({ hasOthers }: { hasOthers: boolean }) {
  const world = adminWorld(
    {
      organizations: [anOrg({ owners: 2 }), anOrg({ org_id: OTHER, owners: 2 })],
      assistants: [anAssistant()],
      connections: [aConnection({ type: 'crm-b' })],
    },
    { GetSecretValue: { SecretString: '{"api_key":"k"}' }, ListObjectVersions: {}, DeleteObject: {} },
  );
  if (!hasOthers) return world;
  const entry = { id: DOCUMENT, filename: 'a.txt', path: 'k', textPreview: '', uploadedAt: 'then' };
  world.put('assistants', anAssistant({ ...ofOther, assistant_id: 'asst_9', knowledge_base: [entry] }));
  world.put('members', { ...ofOther, user_id: 'u9', email: 'u9@example.com', name: 'u9', role: 'viewer' });
  world.put('do-not-call', { org_id: OTHER, phone: PHONE, added_at: 'then' });
  world.putCall(
    aCall({
      call_id: `call_${'9'.repeat(32)}`,
      org_id: OTHER,
      phone_number: PHONE,
      status: 'failed',
      unfinished: undefined,
    }),
  );
  return world;
}

const tables = ['assistants', 'members', 'do-not-call', 'calls', 'connections', 'activity'] as const;

/** The flags that name an item of an organization. */
const ids = ['--org', '--assistant', '--connection', '--key', '--call', '--user', '--entry', '--phone'];

const commandsOf = ({ name, verbs, groups = [] }: Noun): string[] => [
  ...verbs
    .filter(({ options = [] }) => options.filter(({ long }) => long && ids.includes(long)).length > 1)
    .map(({ usage }) => `${name} ${usage}`),
  ...groups.flatMap(commandsOf).map((one) => `${name} ${one}`),
];

const folder = () => aFile(`${Math.random()}`, '').concat('-folder');

/** Every command with two ids, the second one of another organization. */
const crossings: Record<string, { command: () => string; refused?: string; saysWhose?: true }> = {
  'user remove': { command: () => `user remove --org ${ORG} --user u9`, refused: 'member_not_found' },
  'assistant knowledge remove': {
    command: () => `assistant knowledge remove --assistant asst_1 --entry ${DOCUMENT}`,
    refused: 'entry_not_found',
  },
  'connection create': {
    command: () => `connection create --org ${ORG} --type crm-a --assistant asst_9`,
    refused: 'assistant_wrong_org',
    saysWhose: true,
  },
  'connection update': {
    command: () => 'connection update --connection conn_1 --assistant asst_9',
    refused: 'assistant_wrong_org',
    saysWhose: true,
  },
  'dnc remove': { command: () => `dnc remove --org ${ORG} --phone ${PHONE}`, refused: 'not_on_the_list' },
  'person erase': { command: () => `person erase --org ${ORG} --phone ${PHONE}` },
  'person export': { command: () => `person export --org ${ORG} --phone ${PHONE} --folder ${folder()}` },
};

/** Commands whose number belongs to no organization. */
const free = ['dnc add', 'connection test-event'];

describe('a command that names things of two organizations', () => {
  it('has a case in this test for every command with two ids', () => {
    expect(nouns.flatMap(commandsOf).sort()).toEqual([...Object.keys(crossings), ...free].sort());
  });

  it.each(Object.entries(crossings))('%s', async (_name, { command, refused, saysWhose }) => {
    const [alone, beside] = [aStage({ hasOthers: false }), aStage({ hasOthers: true })];
    const others = () =>
      tables.map((table) => beside.all(table).filter(({ org_id, connection_id }) => org_id === OTHER || connection_id));
    const before = structuredClone(others());
    const [unknown, crossed] = [await alone.admin(command()), await beside.admin(command())];
    const shown = (text: string) => JSON.parse(text.replace(/\/[^"]*-folder/g, 'folder'));
    // Operators see every organization, so a wrong assistant may be identified.
    if (saysWhose) expect(shown(unknown.stdout).error).toBe('assistant_not_found');
    else expect([crossed.code, shown(crossed.stdout)]).toEqual([unknown.code, shown(unknown.stdout)]);
    expect([crossed.code, shown(crossed.stdout).error]).toEqual(refused ? [1, refused] : [0, undefined]);
    expect(others()).toEqual(before);
    expect(crossed.stdout).not.toContain(OTHER);
  });
});
