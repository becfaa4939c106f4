import type { Call } from '../../../../shared/domain/calls/call.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { callWorld } from '../../support/worlds/call-world.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const ended = (over: Partial<Call>) => aCall({ status: 'completed', unfinished: 'ended', held: 0, ...over });

describe('if the answer to a write of recover-calls is lost, and the SDK repeats it', () => {
  it('each lost message is still sent again, once', async () => {
    const begin = () => {
      const world = callWorld([
        aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for: START, held: 0, lead: aCalledLead() }),
        ended({ call_id: 'call_finish' }),
        ended({ call_id: 'call_late', finished_at: START, analysis_callback: 'pending', analysis_after: START }),
        ended({ call_id: 'call_sync', finished_at: START, crm_b_sync: 'pending' }),
        ended({ call_id: 'call_ticket', finished_at: START, ticket_work: 'pending' }),
      ]);
      world.pass(200);
      return world;
    };
    for await (const [world, repeated] of worldThatRepeats(begin, (each) => each.recover())) {
      const { leadQueue, finishQueue, syncQueue, ticketsQueue } = world.deps;
      expect([repeated, leadQueue.sent.map(({ message }) => message.source)]).toEqual([repeated, ['release']]);
      const sent = [finishQueue, syncQueue, ticketsQueue].map((queue) => queue.sent.map(({ message }) => message));
      expect([repeated, ...sent]).toEqual([
        repeated,
        [{ call_id: 'call_finish' }, { call_id: 'call_late' }],
        [{ call_id: 'call_sync' }],
        [{ call_id: 'call_ticket' }],
      ]);
    }
  });
});
