import type { Command } from 'commander';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';

/** The whole stage's dialing. */
export function addDialing(program: Command): void {
  const noun = program.command('dialing').description("the whole stage's dialing");
  verb(noun, 'pause', 'dials nobody from now on; live calls go on, others wait').action(
    acting(async (cloud) => {
      await cloud.slots.pause(cloud.now().toISOString());
      return state(cloud);
    }),
  );
  verb(noun, 'resume', 'dials again').action(
    acting(async (cloud) => {
      await cloud.slots.resume();
      await cloud.handOverSlots();
      return state(cloud);
    }),
  );
}

async function state(cloud: Cloud): Promise<Answer> {
  const { paused, live } = await cloud.slots.stage();
  return {
    json: { stage: cloud.place.stage, paused, live_calls: live },
    people: `Stage ${cloud.place.stage} ${paused ? 'dials nobody until dialing resume' : 'dials'}; live calls: ${live}.`,
  };
}
