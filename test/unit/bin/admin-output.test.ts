import { Writable } from 'node:stream';
import { facts, paragraphs, printable, printableJson, table, write } from '../../../bin/admin/output.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { aConnection, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';

describe('a table', () => {
  it('aligns its columns and shows empty cells and booleans in words', () => {
    const rows = [
      ['Acme', true],
      [null, false],
    ];
    expect(table(['name', 'live'], rows, 'None.')).toBe('name  live\nAcme  yes\n-     no');
  });

  it('is replaced by a sentence if there are no rows', () => {
    expect(table(['name'], [], 'None.')).toBe('None.');
  });
});

describe('facts', () => {
  it('joins lists, and shows objects as JSON', () => {
    expect(facts({ name: 'Acme', numbers: ['1', '2'], limits: { a: 1 } })).toBe(
      'name     Acme\nnumbers  1, 2\nlimits   {"a":1}',
    );
  });

  it('cannot control the terminal', () => {
    expect(facts({ name: '\u001b[31mred\u0007' })).toBe('name   [31mred');
    expect(printable('one\ntwo\u0000')).toBe('one\ntwo ');
  });
});

describe('a command at a terminal', () => {
  /** Sets the title of the window, colours by one character of eight bits, and turns the direction of the text. */
  const EVIL = 'a\u001b]0;x\u0007\u009b31m\u202eb\u2066\rc';
  const evil = { name: EVIL, created_at: '2026-01-01T00:00:00.000Z' };
  const world = () => {
    const made = adminWorld({
      organizations: [anOrg({ name: EVIL })],
      assistants: [anAssistant({ name: EVIL, prompt: EVIL, first_message: EVIL, success_criteria: EVIL })],
      'api-keys': [{ ...evil, key_hash: 'h', key_id: 'key_1', org_id: ORG, permissions: [] }],
      members: [{ ...evil, user_id: 'u1', org_id: ORG, email: 'a@example.com', role: 'viewer' }],
      connections: [aConnection({ settings: { disposition_field: EVIL } })],
    });
    made.putCall(aCall({ assistant_name: EVIL, metadata: { ticket_status: EVIL } }));
    return made;
  };
  const commands = [
    ...['org show', 'key list', 'user list', 'assistant list', 'call list', 'connection list'].map(
      (command) => `${command} --org ${ORG}`,
    ),
    ...['assistant show --assistant asst_1', 'assistant update --assistant asst_1 --language hi'],
    ...['connection show --connection conn_1', 'key revoke --key key_1', `call cancel --call ${aCall().call_id}`],
    `call show --call ${EVIL}`,
  ];

  it.each(commands)('prints no character of stored text that controls it: %j', async (command) => {
    const { stdout, stderr } = await world().atTerminal(command);
    expect((stdout + stderr).length).toBeGreaterThan(20);
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u);
  });

  it('prints the stored value as JSON, with these characters escaped', async () => {
    const { stdout } = await world().admin('assistant show --assistant asst_1');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u);
    expect(JSON.parse(stdout).prompt).toBe(EVIL);
    expect(JSON.parse(printableJson({ a: 'é\u007f\n"' }))).toEqual({ a: 'é\u007f\n"' });
  });
});

describe('paragraphs', () => {
  it('are separated by a blank line; missing ones are left out', () => {
    expect(paragraphs('a', undefined, 'b')).toBe('a\n\nb');
  });
});

describe('write', () => {
  const failing = (code: string) =>
    new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });

  it('ignores a reader that closed the pipe', async () => {
    await expect(write(failing('EPIPE'), 'text')).resolves.toBeUndefined();
  });

  it('reports every other failure', async () => {
    await expect(write(failing('ENOSPC'), 'text')).rejects.toThrow('ENOSPC');
  });
});
