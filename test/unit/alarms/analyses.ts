import { anEndedCall } from '../support/ended-call.ts';
import type { Alarm } from './alarm.ts';

/** Finishes an ended call without an answer of the model. @param minutes since its end */
const notAnalyzed = async (minutes: number, isOperatorFault = false) => {
  const world = anEndedCall({ recording: { state: 'none' } });
  world.answer({ kind: 'unavailable', reason: 'x', isOperatorFault });
  world.pass(minutes * 60);
  await world.finish();
  return world;
};

export const alarmsOfAnalyses: Alarm[] = [
  ['ModelOperatorFault', 'the model refuses the account', 'the model is down', (rings) => notAnalyzed(1, rings)],
  [
    'ModelOperatorFault',
    'the model still refuses the account after the call is finished',
    'the model is still down',
    async (rings) => {
      const world = await notAnalyzed(60);
      world.counted.splice(0);
      world.answer({ kind: 'unavailable', reason: 'x', isOperatorFault: rings });
      world.pass(3_600);
      expect(await world.finish()).toBe('analysis_pending');
      return world;
    },
  ],
  [
    'AnalysisFailed',
    'the model did not answer for an hour',
    'the model may answer later',
    (rings) => notAnalyzed(rings ? 60 : 59),
  ],
];
