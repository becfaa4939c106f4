import { holdEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { anAssistant, anOrg, ORG } from '../support/worlds/items.ts';
import { START } from '../support/worlds/world.ts';

const from = { address: '130.176.0.5', forwarded_for: '203.0.113.7' };
const byKey = { kind: 'key' as const, key_id: 'key_1', name: 'backend', ...from };
const byMember = { kind: 'member' as const, user_id: 'u1', name: 'Priya', ...from };
const anEntry = (id: string) => ({ id, filename: `${id}.txt`, path: 'p', textPreview: '', uploadedAt: START });

describe('an operator sees', () => {
  it('who added a document: the name in the table, and the addresses in JSON', async () => {
    const entries = [
      anEntry('kb_old'),
      { ...anEntry('kb_key'), uploaded_by: byKey },
      { ...anEntry('kb_member'), uploaded_by: byMember },
    ];
    const { admin, atTerminal } = adminWorld({ assistants: [anAssistant({ knowledge_base: entries })] });
    const { stdout } = await atTerminal('assistant knowledge list --assistant asst_1');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['entry', 'file', 'uploaded_at', 'uploaded_by'],
      ['kb_old', 'kb_old.txt', START, '-'],
      ['kb_key', 'kb_key.txt', START, 'key backend'],
      ['kb_member', 'kb_member.txt', START, 'member Priya'],
    ]);
    const json = JSON.parse((await admin('assistant knowledge list --assistant asst_1')).stdout);
    expect(json.entries).toEqual(entries);
  });

  it('the addresses from which a key placed a call, in the call and in the ledger', async () => {
    const call = aCall({ org_id: ORG, call_id: 'call_1', placed_by: byKey });
    const world = adminWorld({ organizations: [anOrg()] });
    world.putCall(call);
    world.put('credit-ledger', holdEntry(call, 1_000, START));
    const { forwarded_for: _, ...before } = byKey;
    const old = aCall({ org_id: ORG, call_id: 'call_0', placed_by: before });
    world.putCall(old);
    world.put('credit-ledger', holdEntry(old, 1_000, '2026-03-01T06:00:00.000Z'));
    expect(JSON.parse((await world.admin('call show --call call_1')).stdout).placed_by).toEqual(byKey);
    const { entries } = JSON.parse((await world.admin(`org ledger --org ${ORG}`)).stdout);
    expect(entries).toMatchObject([{ key: { key_id: 'key_1', name: 'backend', ...from } }, { call_id: 'call_0' }]);
    const { stdout } = await world.atTerminal(`org ledger --org ${ORG}`);
    expect(stdout).toMatch(/API key +address +forwarded for\n.* call_1 +backend +130\.176\.0\.5 +203\.0\.113\.7\n/);
    expect(stdout).toMatch(/ call_0 +backend +130\.176\.0\.5 +-\n/);
  });
});
