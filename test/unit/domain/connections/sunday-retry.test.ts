import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { sundayRetryOf } from '../../../../shared/domain/connections/sunday-retry.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const settings = {
  sunday_rnr_retry: 'true',
  disposition_crm_field: 'Call_Disposition',
  disposition_value: "Didn't answer",
};
const connection = aConnection({ trigger_owner_user_id: '7', settings, grant: aGrant() });

describe('the selection of the Sunday sweep', () => {
  it('has the disposition of the connection and the leads of its trigger owner', () => {
    expect(sundayRetryOf(connection)).toEqual({ field: 'Call_Disposition', value: "Didn't answer", ownerId: '7' });
  });

  it.each<[string, Partial<Connection>]>([
    ['the connection has not opted in', { settings: { ...settings, sunday_rnr_retry: 'false' } }],
    ['no setting is stored', { settings: undefined }],
    ['a flag that is not a string', { settings: { ...settings, sunday_rnr_retry: true } }],
    ['auto-call is off', { auto_call: false }],
    ['the connection has no grant', { grant: undefined }],
  ])('is off if %s', (_what, change) => {
    expect(sundayRetryOf({ ...connection, ...change })).toBe('off');
  });

  it.each<[string, Partial<Connection>]>([
    ['the field', { settings: { ...settings, disposition_crm_field: undefined } }],
    ['the value', { settings: { ...settings, disposition_value: undefined } }],
    ['the owner', { trigger_owner_user_id: undefined }],
  ])('is incomplete if %s is not set', (_what, change) => {
    expect(sundayRetryOf({ ...connection, ...change })).toBe('incomplete');
  });
});
