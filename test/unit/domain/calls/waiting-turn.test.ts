import {
  turnAt,
  waitingClasses,
  waitingTurnAttributes,
  waitingTurnOf,
} from '../../../../shared/domain/calls/waiting-turn.ts';
import { aCall, aCalledLead } from '../../support/call.ts';

it('calls wait in their organization, REST before leads, and then by the instant from which they may be dialed', () => {
  const [early, late] = ['2026-03-02T06:00:00.000Z', '2026-03-02T06:00:01.000Z'];
  const [rest, lead] = [aCall(), aCall({ lead: aCalledLead() })];
  expect(waitingTurnOf(rest, late)).toEqual({ waiting_org: rest.org_id, waiting_turn: `1-rest#${late}` });
  expect(waitingTurnOf(lead, early)).toEqual({ waiting_org: lead.org_id, waiting_turn: `2-lead#${early}` });
  expect([...waitingTurnAttributes]).toEqual(Object.keys(waitingTurnOf(rest, late)));
  const turns = waitingClasses.flatMap((of) => [turnAt(of, early), turnAt(of, late)]);
  expect(turns).toHaveLength(4);
  expect(turns.toReversed().sort()).toEqual(turns);
});
