import { nounless, nouns } from '../../../bin/admin/program.ts';
import type { Noun } from '../../../bin/admin/verb.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { closeServers, serve } from '../../support/loopback.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { aConnection, aGrant, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';

const OTHER = 'org9999999999999999';
const PHONE = '+919800000002';
const DOCUMENT = `kb_${'9'.repeat(24)}`;
const EXPIRY = '2099-01-01T00:00:00.000Z';
/** Ids at the remote systems. */
const [DESK, DEPARTMENT, OTHERS_DESK, OTHERS_DEPARTMENT] = ['500', '510', '900', '910'];
const ofOther = { org_id: OTHER, created_at: '2026-01-01T00:00:00.000Z' };

const granted = (connectionId: string, desk: string) => ({
  grant: aGrant({
    refresh_token: `${connectionId}:refresh`,
    organizations: [{ id: desk, name: 'Zylker' }],
    identity: { organizations: [{ id: desk, name: 'Zylker' }], user: { name: 'Asha', email: 'asha@example.com' } },
  }),
  access: { version: 1, token: `${connectionId}:access`, expires_at: EXPIRY },
});

/** A connection to CRM-B with a pending consent, and one to a help desk. */
function connectionsOf(org_id: string, crmB: string, helpDesk: string, settings: Connection['settings']) {
  const desk = String(settings?.orgId);
  const pending = { id: `pending_${crmB}`, begun_by: { kind: 'operator', name: 'asha' } as const, at: 'then' };
  return [
    aConnection({
      org_id,
      connection_id: crmB,
      pending_consent: { ...pending, ...granted(crmB, desk), expires_at: EXPIRY },
    }),
    aConnection({ org_id, connection_id: helpDesk, type: 'help-desk', settings, ...granted(helpDesk, desk) }),
  ];
}

/** Starts the help desk, which answers with the organizations of our grant. */
const startDesk = () =>
  serve((request, response) => {
    const isOurs =
      request.headers.authorization?.endsWith(' access') && request.url === '/api/v1/accessibleOrganizations';
    response.writeHead(isOurs ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: DESK, companyName: 'Zylker' }] }));
  });

/** An organization's items whose ids the commands name, beside the items of `OTHER`. */
function aStage({ hasOthers, helpDeskUrl }: { hasOthers: boolean; helpDeskUrl: string }) {
  const world = adminWorld(
    {
      organizations: [anOrg({ owners: 2 }), anOrg({ org_id: OTHER, owners: 2 })],
      assistants: [anAssistant()],
      connections: connectionsOf(ORG, 'conn_1', 'conn_2', { orgId: DESK, departmentId: DEPARTMENT }),
    },
    {
      GetSecretValue: { SecretString: '{"api_key":"k"}' },
      ListObjectVersions: {},
      ListMultipartUploads: {},
      DeleteObject: {},
    },
    helpDeskUrl,
  );
  if (!hasOthers) return world;
  const entry = { id: DOCUMENT, filename: 'a.txt', path: 'k', textPreview: '', uploadedAt: 'then' };
  world.put('assistants', anAssistant({ ...ofOther, assistant_id: 'asst_9', knowledge_base: [entry] }));
  const settings = { orgId: OTHERS_DESK, departmentId: OTHERS_DEPARTMENT };
  for (const one of connectionsOf(OTHER, 'conn_8', 'conn_9', settings)) world.put('connections', one);
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

/** The placeholders of ids and numbers. */
const idPlaceholders = ['<id>', '<number>'];

/** The placeholders of values that name no item, and the flags of the other placeholders. */
const plain = [
  ...['<text>', '<n>', '<credits>', '<seconds>', '<days>', '<instant>', '<on|off>'],
  ...['<address>', '<role>', '<roles>', '<country>', '<code>', '<type>', '<status>', '<outcome>', '<choice>', '<head>'],
  // Lists of numbers to recognize, of countries, of prices and of rights.
  ...['--platform-numbers <list>', '--countries <list>', '--rates <list>', '--permissions <list>'],
  // Names of the stage's own parts.
  ...['--data-center <name>', '--queue <name>', '--name <name>', '--tables <names>', 'run <name>'],
  // The files contain an assistant's definition without ids, numbers to add, a receipt and a stack trace.
  ...['--file <path>', '--folder <path>', 'read [file]'],
];

/** The settings that name an item of an organization. */
const settingIds = ['orgId', 'departmentId'];

/** Every command with its parameters that have a value: its argument, then its options. */
const commandsOf = ({ name, verbs, groups = [] }: Noun): { command: string; parameters: string[] }[] => [
  ...verbs.map(({ usage, options = [] }) => ({
    command: `${name} ${usage}`,
    parameters: [usage, ...options.map(({ flags }) => flags)].filter((one) => / [<[]/.test(one)),
  })),
  ...groups.flatMap(commandsOf).map(({ command, parameters }) => ({ command: `${name} ${command}`, parameters })),
];
const commands = [...nouns, { name: 'admin', summary: '', verbs: nounless }].flatMap(commandsOf);

const placeholderOf = (parameter: string): string => parameter.slice(parameter.indexOf(' ') + 1);
const isId = (parameter: string): boolean => idPlaceholders.includes(placeholderOf(parameter));

/** The ids of a command that can belong to another organization than its first one, or than its settings. */
const crossable = commands.flatMap(({ command, parameters }) => [
  ...parameters
    .filter(isId)
    .slice(1)
    .map((parameter) => `${command} ${parameter.split(' ')[0]}`),
  ...parameters
    .filter((parameter) => placeholderOf(parameter) === '<json>')
    .flatMap((parameter) => settingIds.map((id) => `${command} ${parameter.split(' ')[0]} ${id}`)),
]);

const folder = () => aFile(`${Math.random()}`, '').concat('-folder');

const creating = `connection create --org ${ORG} --type help-desk --settings`;

/** Every further id of a command, as one of another organization. */
const crossings: Record<string, { command: () => string; refused?: string; saysWhose?: true }> = {
  'user remove --user': { command: () => `user remove --org ${ORG} --user u9`, refused: 'member_not_found' },
  'assistant knowledge remove --entry': {
    command: () => `assistant knowledge remove --assistant asst_1 --entry ${DOCUMENT}`,
    refused: 'entry_not_found',
  },
  'connection create --assistant': {
    command: () => `connection create --org ${ORG} --type crm-a --assistant asst_9`,
    refused: 'assistant_wrong_org',
    saysWhose: true,
  },
  'connection update --assistant': {
    command: () => 'connection update --connection conn_1 --assistant asst_9',
    refused: 'assistant_wrong_org',
    saysWhose: true,
  },
  'connection confirm --organization': {
    command: () => `connection confirm --connection conn_1 --organization ${OTHERS_DESK}`,
    refused: 'wrong_organization',
  },
  'connection update --settings orgId': {
    command: () => `connection update --connection conn_2 --settings {"orgId":"${OTHERS_DESK}"}`,
    refused: 'invalid_value',
  },
  // The help desk refuses a ticket in a foreign department.
  'connection update --settings departmentId': {
    command: () => `connection update --connection conn_2 --settings {"departmentId":"${OTHERS_DEPARTMENT}"}`,
  },
  // A new connection has no grant yet. Once it has one, it uses only the organizations of the grant.
  'connection create --settings orgId': {
    command: () => `${creating} {"departmentId":"${DEPARTMENT}","orgId":"${OTHERS_DESK}"}`,
  },
  'connection create --settings departmentId': { command: () => `${creating} {"departmentId":"${OTHERS_DEPARTMENT}"}` },
  'dnc remove --phone': { command: () => `dnc remove --org ${ORG} --phone ${PHONE}`, refused: 'not_on_the_list' },
  'person erase --phone': { command: () => `person erase --org ${ORG} --phone ${PHONE}` },
  'person export --phone': { command: () => `person export --org ${ORG} --phone ${PHONE} --folder ${folder()}` },
};

const OF_THE_CRM =
  "A user in the customer's CRM. The service stores no users of CRMs, and compares it with a lead's owner.";
const OF_THE_PLATFORM =
  "Operators decide which organizations use it: it belongs to the stage's account at the platform.";
const OF_NOBODY = 'A phone number belongs to no organization.';

/** The other ids, with the reasons why they name no item of an organization. */
const free: Record<string, string> = {
  'org update --voice-number-id': OF_THE_PLATFORM,
  'assistant create --voice': OF_THE_PLATFORM,
  'assistant update --voice': OF_THE_PLATFORM,
  'assistant create --transfer-number': OF_NOBODY,
  'assistant update --transfer-number': OF_NOBODY,
  'connection create --owner': OF_THE_CRM,
  'connection update --owner': OF_THE_CRM,
  'connection test-event --owner': OF_THE_CRM,
  'connection test-event --phone': OF_NOBODY,
  'dnc add --phone': OF_NOBODY,
};

afterEach(closeServers);

describe('a command that names things of two organizations', () => {
  it('has a case in this test, or a reason, for every further id', () => {
    expect(crossable.sort()).toEqual([...Object.keys(crossings), ...Object.keys(free)].sort());
  });

  it('has no parameter whose placeholder may hide an id', () => {
    const known = (parameter: string) =>
      isId(parameter) || [...plain, '<json>'].some((one) => one === parameter || one === placeholderOf(parameter));
    const parametersOf = ({ command, parameters }: (typeof commands)[number]) =>
      parameters.map((parameter) => ({ command, parameter }));
    expect(commands.flatMap(parametersOf).filter(({ parameter }) => !known(parameter))).toEqual([]);
  });

  it.each(Object.entries(crossings))(
    'changes no item of the other organization, and does not name it: %s',
    async (_name, { command, refused, saysWhose }) => {
      const helpDeskUrl = (await startDesk()).url;
      const [alone, beside] = [aStage({ hasOthers: false, helpDeskUrl }), aStage({ hasOthers: true, helpDeskUrl })];
      // A refused command changes nothing of its own organization, either.
      const others = () => tables.map((table) => beside.all(table).filter(({ org_id }) => org_id === OTHER || refused));
      const before = structuredClone(others());
      const [unknown, crossed] = [await alone.admin(command()), await beside.admin(command())];
      const shown = (text: string) => JSON.parse(text.replace(/\/[^"]*-folder/g, 'folder'));
      // Operators see every organization, so a wrong assistant may be identified.
      if (saysWhose) expect(shown(unknown.stdout).error).toBe('assistant_not_found');
      else expect([crossed.code, shown(crossed.stdout)]).toEqual([unknown.code, shown(unknown.stdout)]);
      expect([crossed.code, shown(crossed.stdout).error]).toEqual(refused ? [1, refused] : [0, undefined]);
      expect(others()).toEqual(before);
      expect(crossed.stdout).not.toContain(OTHER);
    },
  );
});
