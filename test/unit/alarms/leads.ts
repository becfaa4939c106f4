import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import { aCall, aCalledLead } from '../support/call.ts';
import { anArmedConnection, check } from '../support/watched-connection.ts';
import { callWorld } from '../support/worlds/call-world.ts';
import { ist } from '../support/worlds/items.ts';
import { atItsOpening, leadWorld, unavailable } from '../support/worlds/lead-world.ts';
import { START } from '../support/worlds/world.ts';
import type { Alarm } from './alarm.ts';

export const alarmsOfLeads: Alarm[] = [
  [
    'LeadGivenUp',
    'the call of a lead expires',
    'the call of a client expires',
    async (rings) => {
      const lead = rings ? { lead: aCalledLead(), held: 0 } : {};
      const world = callWorld([aCall({ dial_by: secondsAfter(START, 60), ...lead })], { org: { max_live_calls: 0 } });
      world.pass(61);
      await world.recover();
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'leads changed more than two days before their catch-up',
    'they changed exactly two days before',
    async (rings) => {
      const world = await anArmedConnection();
      // No notification of the change arrives.
      world.silence();
      world.edit('late');
      world.change({ catch_up_from: world.now });
      world.pass(2 * 86_400 + (rings ? 2 : 0));
      await check(world);
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'more leads changed in one second than a catch-up queues in a run',
    'its last lead changed a second later, where the next run continues',
    async (rings) => {
      const world = await anArmedConnection();
      const from = secondsAfter(world.now, -60);
      world.change({ catch_up_from: from });
      const last = secondsAfter(from, rings ? 0 : 1);
      const leads = [from, last].map((at, index) => ({ id: `${index}`, created_at: at, modified_at: at }));
      const changed = { kind: 'found' as const, leads, complete: false };
      world.deps.leadsChanged = async (_access, _span, most) => (most === 1 ? { ...changed, leads: [] } : changed);
      await check(world);
      expect(world.logged.map(({ reason }) => reason).join()).toMatch(rings ? /changed in one second/ : /^,?$/);
      expect(world.row().catch_up_from).toBe(secondsAfter(from, 1));
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'the CRM does not return a lead of a catch-up',
    'it does not return the lead of a notification, which the catch-up finds',
    async (rings) => {
      const world = leadWorld();
      world.crm = () => ({ ...unavailable('status 500'), isFinal: true });
      await world.process(world.event(rings ? { source: 'catch-up' } : {}));
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'a call is postponed for the eighth day, because its CRM does not answer',
    'it is postponed for the seventh',
    async (rings) => {
      const { world } = await atItsOpening();
      world.crm = () => ({ ...unavailable('status 401'), isFinal: true });
      for (let day = 3; day <= (rings ? 10 : 9); day += 1) {
        world.now = ist(`2026-03-${String(day).padStart(2, '0')}`, '09:00');
        await world.release(world.releaseMessage());
      }
      return world;
    },
  ],
];
