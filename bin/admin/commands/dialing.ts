import { pauseDialing, resumeDialing } from '../../../shared/operations/calls/pause-dialing.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { type Answer, type Noun, verb } from '../verb.ts';

export const dialing: Noun = {
  name: 'dialing',
  summary: 'Dialing on the whole stage',
  verbs: [
    verb({ usage: 'pause', summary: 'Stops dialing; live calls continue, other calls wait', act: pause }),
    verb({ usage: 'resume', summary: 'Dials again', act: resume }),
  ],
};

async function pause(cloud: Cloud): Promise<Answer> {
  await pauseDialing(cloud, await cloud.operator());
  return state(cloud);
}

async function resume(cloud: Cloud): Promise<Answer> {
  await resumeDialing(cloud, await cloud.operator());
  await cloud.handOverSlots();
  return state(cloud);
}

async function state(cloud: Cloud): Promise<Answer> {
  const { paused, live } = await cloud.slots.stage();
  const { stage } = cloud.place;
  return {
    json: { stage, paused, live_calls: live },
    people: `Stage ${stage} ${paused ? 'is paused: it dials no calls until dialing resume' : 'is dialing'}; live calls: ${live}.`,
  };
}
