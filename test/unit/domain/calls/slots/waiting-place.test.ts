import {
  placeAt,
  waitingClasses,
  waitingPlaceAttributes,
  waitingPlaceOf,
} from '../../../../../shared/domain/calls/slots/waiting-place.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

it('calls wait in their organization by kind, REST before leads, and then by the instant from which they may be dialed', () => {
  const [early, late] = ['2026-03-02T06:00:00.000Z', '2026-03-02T06:00:01.000Z'];
  const [rest, lead] = [aCall(), aCall({ lead: aCalledLead() })];
  expect(waitingPlaceOf(rest, late)).toEqual({ waiting_org: rest.org_id, waiting_turn: `1-rest#${late}` });
  expect(waitingPlaceOf(lead, early)).toEqual({ waiting_org: lead.org_id, waiting_turn: `2-lead#${early}` });
  expect([...waitingPlaceAttributes]).toEqual(Object.keys(waitingPlaceOf(rest, late)));
  const places = waitingClasses.flatMap((of) => [placeAt(of, early), placeAt(of, late)]);
  expect(places).toHaveLength(4);
  expect(places.toReversed().sort()).toEqual(places);
});
