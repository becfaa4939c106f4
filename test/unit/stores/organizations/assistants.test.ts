import { assistantStore } from '../../../../shared/stores/organizations/assistants.ts';
import { clientOf, type Send } from '../../support/worlds/database.ts';
import { anAssistant } from '../../support/worlds/items.ts';

describe('getRecent', () => {
  it('finds an assistant that was created a moment ago, and costs half a unit for any other', async () => {
    const assistant = anAssistant();
    for (const [isNew, reads] of [
      [true, [false, true]],
      [false, [false]],
    ] as const) {
      const consistency: (boolean | undefined)[] = [];
      const send = (async ({ input: { ConsistentRead } }: { input: { ConsistentRead?: boolean } }) => {
        consistency.push(ConsistentRead);
        return isNew && !ConsistentRead ? {} : { Item: assistant };
      }) as unknown as Send;
      const assistants = assistantStore(clientOf(send), 'assistants');
      expect(await assistants.getRecent('asst_1')).toMatchObject({ assistant_id: assistant.assistant_id });
      expect(consistency).toEqual(reads);
    }
  });
});
