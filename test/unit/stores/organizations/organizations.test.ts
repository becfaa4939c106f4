import { organizationStore } from '../../../../shared/stores/organizations/organizations.ts';

const organizations = organizationStore({} as never, 'organizations');

describe('the credit of an organization', () => {
  it('is held only if enough is available; a refusal returns the stored organization', () => {
    expect(organizations.holding('org1', 3000).Update).toEqual({
      TableName: 'organizations',
      Key: { org_id: 'org1' },
      UpdateExpression: 'ADD #available :add_available, #held :add_held',
      ConditionExpression: '(attribute_exists(org_id)) AND (available >= :needed)',
      ExpressionAttributeNames: { '#available': 'available', '#held': 'held' },
      ExpressionAttributeValues: { ':add_available': -3000, ':add_held': 3000, ':needed': 3000 },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('is deducted only if enough is available, and is always added', () => {
    expect(organizations.toppingUp('org1', -3000).Update?.ConditionExpression).toContain('available >= :needed');
    expect(organizations.toppingUp('org1', -3000).Update?.ExpressionAttributeValues).toMatchObject({ ':needed': 3000 });
    expect(organizations.toppingUp('org1', 3000).Update?.ConditionExpression).toBe('(attribute_exists(org_id))');
  });

  it('never changes for an unknown organization, because an unconditional addition would create an item', () => {
    for (const write of [
      organizations.holding('org1', 1),
      organizations.settling('org1', { held: 1, cost: 0 }),
      organizations.toppingUp('org1', 1),
    ])
      expect(write.Update?.ConditionExpression).toContain('attribute_exists(org_id)');
  });
});
