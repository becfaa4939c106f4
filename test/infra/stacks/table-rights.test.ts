import { functionNames } from '../../../lib/functions.ts';
import { analysisCounters, endCounters } from '../../../shared/domain/calls/usage/usage.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { aCall } from '../../unit/support/call.ts';
import { ORG } from '../../unit/support/worlds/items.ts';
import { allowing, allRights, rightsOf, writable } from '../support/rights.ts';
import { prod } from '../support/stages/prod.ts';

describe('permissions', () => {
  it('to write a connection cover only the required attributes, never its owner, its assistant or its switch', () => {
    const health = ['connection_id', 'rejection', 'rejected_minutes', 'last_delivery_at', 'silent_since'];
    expect(writable('receive-crm-a-lead', 'connections')).toEqual([[...health, 'delivery_rhythm']]);
    expect(writable('check-connections', 'connections')).toEqual([
      ['connection_id', 'last_delivery_at', 'pending_consent', 'silent_since'],
    ]);
    expect(writable('receive-crm-b-notification', 'connections')).toEqual([
      [...health, 'catch_up_from', 'catch_up_to'],
    ]);
    // The help desk's organization is a setting, and the only one is chosen automatically.
    const choosing: readonly string[] = ['connect-help-desk', 'create-ticket', 'confirm-consent'];
    const ofPeople = ['auto_call', 'assistant_id', 'trigger_owner_user_id'];
    expect(writable('update-connection', 'connections')).toEqual([expect.arrayContaining(['settings', ...ofPeople])]);
    expect(writable('update-connection', 'connections').flat()).not.toContain('org_id');
    for (const name of functionNames.filter((each) => each !== 'update-connection'))
      for (const attributes of writable(name, 'connections')) {
        expect([name, attributes]).toEqual([name, expect.arrayContaining(['connection_id'])]);
        for (const own of ['org_id', ...ofPeople, ...(choosing.includes(name) ? [] : ['settings'])])
          expect([name, attributes]).not.toEqual([name, expect.arrayContaining([own])]);
      }
    expect(writable('connect-help-desk', 'connections')).toEqual([expect.arrayContaining(['settings', 'grant'])]);
  });

  it('to write a call let analyze-call store an analysis without reading other attributes', () => {
    const calls = callStore({} as never, 'calls');
    const analysis = { state: 'failed', error: 'x' } as const;
    const writes = [undefined, '2026-03-02T06:02:30.000Z'].flatMap((at) => {
      const call = aCall({
        status: 'completed',
        analyzed_at: at,
        do_not_call_at: at,
        callback_url: 'https://client.example',
      });
      const kept = { analysis, putsOnList: at === undefined };
      return [calls.analyzing(call, kept, call.created_at), calls.notingDoNotCall(call.call_id, call.created_at)];
    });
    const named = writes.flatMap(({ Update }) => [
      ...Object.values(Update?.ExpressionAttributeNames ?? {}),
      ...[...(Update?.ConditionExpression ?? '').matchAll(/exists\((\w+)\)/g)].map(([, name]) => name),
    ]);
    for (const name of ['analyze-call', 'repeat-analysis'] as const)
      expect(writable(name, 'calls').map((attributes) => attributes.toSorted())).toEqual([[...new Set(named)].sort()]);
    for (const { Update } of writes) expect(Update?.ReturnValuesOnConditionCheckFailure).toBe('NONE');
  });

  it('of the routes that change a call cover only its credit, its slots and the requested attempt', () => {
    expect(writable('stop-call', 'organizations')).toEqual([['org_id', 'available', 'held', 'holds_unentered']]);
    expect(writable('stop-call', 'slots')).toEqual([['scope', 'live', 'moves']]);
    expect(writable('resend-callback', 'callbacks')).toEqual([
      [
        'call_id',
        'webhook_id',
        'state',
        'attempts',
        'asked',
        'next_attempt_at',
        'message_at',
        'put_off_since',
        'lease',
      ],
    ]);
  });

  it('to delete items from tables cover only claims, and the items of the one route that removes them', () => {
    const deleting = allowing(allRights, 'dynamodb:DeleteItem');
    expect(deleting.length).toBeGreaterThan(0);
    const removing = {
      removememberparts: /tablemembers/i,
      removedonotcallparts: /tabledonotcall/i,
      deleteassistantparts: /tableassistants/i,
      revokekeyparts: /tableratelimits/i,
    };
    for (const { id, resources } of deleting) {
      const [, own = /tableclaims/i] = Object.entries(removing).find(([name]) => id.startsWith(name)) ?? [];
      expect(resources).toMatch(own);
    }
  });

  it('to write the audit log only add entries, and read their heads; one route also reads the marks of requests', async () => {
    const written = allRights.filter(({ resources }) => /tableaudit/i.test(resources));
    const actions = new Set(written.flatMap((right) => right.actions));
    expect(actions).toEqual(new Set(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']));
    const reading = written.filter((right) => right.actions.includes('dynamodb:GetItem'));
    const inPartitions = (...keys: string[]) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } });
    const marked = allowing(rightsOf('add-knowledge'), 'dynamodb:GetItem').filter(({ condition }) => condition);
    expect(marked.map(({ condition }) => condition)).toEqual([inPartitions('*#head', '*#deeds')]);
    for (const right of reading) {
      const partitions = marked.some(({ id }) => id === right.id) ? ['*#head', '*#deeds'] : ['*#head'];
      expect([right.actions, right.condition]).toEqual([['dynamodb:GetItem'], inPartitions(...partitions)]);
    }
    const read: string[] = [];
    const send = async ({ input }: { input: { Key: { org_id: string } } }) => {
      read.push(input.Key.org_id);
      return {};
    };
    await auditStore({ send } as never, 'audit').hasActionMark(ORG, 'upload_1');
    expect(read).toEqual([expect.stringMatching(/#deeds$/)]);
  });

  it('to change or delete an entry of the audit log are denied to everyone, on the table itself', () => {
    type Replica = { ResourcePolicy?: { PolicyDocument: { Statement: object[] } } };
    const policies = prod
      .ofType('AWS::DynamoDB::GlobalTable')
      .flatMap(({ Properties: { TableName, Replicas } }) =>
        Replicas.flatMap(({ ResourcePolicy }: Replica) =>
          ResourcePolicy ? [[TableName, ResourcePolicy.PolicyDocument.Statement]] : [],
        ),
      );
    const changes = ['UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'];
    const Action = changes.map((change) => `dynamodb:${change}`);
    expect(policies).toEqual([
      ['calling-service-prod-audit', [{ Effect: 'Deny', Principal: { AWS: '*' }, Action, Resource: '*' }]],
    ]);
  });

  it('to write API keys only add a key, and revoke one', () => {
    const keys = functionNames.flatMap((name) =>
      rightsOf(name)
        .filter(({ resources }) => /tableapikeys/i.test(resources))
        .flatMap(({ actions }) => actions)
        .filter((action) => !/(GetItem|Query)$/.test(action))
        .map((action) => [name, action]),
    );
    expect(keys).toEqual([
      ['create-key', 'dynamodb:PutItem'],
      ['revoke-key', 'dynamodb:UpdateItem'],
    ]);
    expect(writable('revoke-key', 'api-keys')).toEqual([['key_hash', 'revoked_at', 'last_used_at']]);
  });

  it('to count usage only add to the counters of ends, or of analyses', () => {
    const ends = ['org_id', 'day', 'committed', ...endCounters];
    const analyses = ['org_id', 'day', ...analysisCounters];
    const counting = functionNames.filter((name) => writable(name, 'usage').length > 0);
    expect(counting).toEqual(expect.arrayContaining(['apply-voice-event', 'recover-calls', 'finish-call']));
    for (const name of counting)
      expect([[ends], [analyses]].map((list) => JSON.stringify(list))).toContain(
        JSON.stringify(writable(name, 'usage')),
      );
    const actions = allRights
      .filter(({ resources }) => /tableusage/i.test(resources))
      .flatMap((right) => right.actions);
    // dial-call and the overview read the spend of a day.
    expect(new Set(actions.filter((action) => !/:(UpdateItem|Query)$/.test(action)))).toEqual(
      new Set(['dynamodb:GetItem']),
    );
  });

  const organizations = organizationStore({} as never, 'organizations');
  /** The attributes that an update names: in its key, its change and its conditions. */
  const namesIn = ({ Update }: Write) => {
    const { Key = {}, UpdateExpression = '', ConditionExpression = '', ExpressionAttributeNames = {} } = Update ?? {};
    const words = `${UpdateExpression} ${ConditionExpression}`.match(/[:#]?[a-z_]+(?![a-z_(])/g) ?? [];
    const named = words.filter((word) => !word.startsWith(':')).map((word) => ExpressionAttributeNames[word] ?? word);
    return [...new Set([...Object.keys(Key), ...named])].sort();
  };

  it('to move credit cover only an organization’s available and held credit', () => {
    const settling = namesIn(organizations.settling(ORG, { held: 1, cost: 1, entersHold: true }));
    const holding = namesIn(organizations.holdingUnentered(ORG, 1));
    expect([settling, holding]).toEqual(Array(2).fill(['available', 'held', 'holds_unentered', 'org_id']));
    const ofOthers = ['invite-member', 'change-role', 'remove-member', 'update-organization', 'rotate-callback-secret'];
    const writing = functionNames.filter(
      (name) => writable(name, 'organizations').length > 0 && !ofOthers.includes(name),
    );
    expect(Object.fromEntries(writing.map((name) => [name, writable(name, 'organizations').flat().sort()]))).toEqual({
      'place-call': holding,
      'process-lead': settling,
      'cancel-calls': settling,
      'dial-call': holding,
      'apply-voice-event': settling,
      'recover-calls': settling,
      'place-test-call': holding,
      'stop-call': settling,
    });
  });

  it('to check countries and claims of erased calls cover no item with credit, and no other claim', () => {
    const keysOf = ({ ConditionCheck }: Write) => Object.values(ConditionCheck?.Key ?? {});
    expect(keysOf(organizations.mayCall(ORG, 'IN'))).toEqual([expect.stringMatching(/#countries$/)]);
    const checking = allowing(rightsOf('dial-call'), 'dynamodb:ConditionCheckItem').map(
      ({ actions, resources, condition }) => [actions, /table(organizations|claims)/i.exec(resources)?.[1], condition],
    );
    const inPartitions = (keys: string) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } });
    expect(checking).toEqual([
      [['dynamodb:ConditionCheckItem'], 'organizations', inPartitions('*#countries')],
      [['dynamodb:ConditionCheckItem'], 'claims', inPartitions('*#erased#*')],
    ]);
    expect(namesIn(organizations.storingAllowedCountries(ORG, ['IN']))).toEqual(['countries', 'org_id']);
  });

  it("to change an organization cover only the members' changes and their consequences", () => {
    const wanted = { name: 'Acme', default_region: 'AE', platform_numbers: [], warn_below: 1, notices: undefined };
    // A former region stays on the list of countries.
    const stamp = { countries: ['IN'], revision: 2, updated_at: 'now', updated_by: 'priya@example.com' };
    const changed = namesIn(
      organizations.updating({ org_id: ORG, revision: 1 }, { ...wanted, ...stamp }, [
        ...(['requests_per_minute', 'outbound_per_minute', 'max_live_calls', 'max_wait_minutes', 'notices'] as const),
      ]),
    );
    expect(writable('update-organization', 'organizations').map((names) => names.toSorted())).toEqual([changed]);
  });

  it('to write an organization exclude its credit in the routes of members', () => {
    for (const name of ['invite-member', 'change-role'] as const)
      expect(writable(name, 'organizations')).toEqual([['org_id', 'owners', 'watched']]);
    expect(writable('remove-member', 'organizations')).toEqual([['org_id', 'owners']]);
    expect(writable('sign-out', 'members')).toEqual([['user_id', 'org_id', 'sessions_from']]);
    expect(writable('update-me', 'members')).toEqual([['user_id', 'org_id', 'name', 'phone', 'has_no_emails']]);
  });

  it('to write an assistant cover the definition in one route, and the knowledge base in the routes of files', () => {
    const knowledge = [['assistant_id', 'org_id', 'knowledge_base']];
    for (const name of ['upload-knowledge', 'add-knowledge', 'remove-knowledge'] as const)
      expect(writable(name, 'assistants')).toEqual(knowledge);
    const [definition = [], ...others] = writable('update-assistant', 'assistants');
    expect([definition.includes('prompt'), others]).toEqual([true, []]);
    expect(definition.filter((name) => ['knowledge_base', 'created_at'].includes(name))).toEqual([]);
  });
});
