import { activityStore } from '../../../../shared/stores/connections/activity.ts';
import { anEvent } from '../../support/erasure/erasing.ts';
import { clientOf, database } from '../../support/worlds/database.ts';

test('an erasure gives up an entry that others keep changing, instead of undoing their changes', async () => {
  const tables = database();
  const activity = activityStore(clientOf(tables.send), 'activity');
  const store = (expires_at: number) => tables.put('activity', anEvent('evt_1', { lead_id: 'lead-1', expires_at }));
  let expiry = 4e9;
  store(expiry);
  const entry = await activity.get('conn_1', 'evt_1');
  if (!entry) throw new Error('no entry');
  let tries = 0;
  tables.hooks.before = (operation) => {
    if (operation !== 'Put') return;
    tries += 1;
    store(++expiry);
  };
  await expect(activity.forget(entry)).rejects.toThrow('changed in each of 5 tries');
  expect(tries).toBe(5);
  expect(tables.all('activity')).toMatchObject([{ lead_id: 'lead-1', expires_at: expiry }]);
});
