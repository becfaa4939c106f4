import type { Cloud } from '../../cloud/cloud.ts';
import { table } from '../../output.ts';
import { oneOf } from '../../values.ts';
import { type Answer, type Noun, optional, verb } from '../../verb.ts';
import { agesOf, depthOf, noDepth, type Source, sourceNames, sources } from './depths.ts';
import { redriveSource } from './redrive.ts';

type OneQueue = { queue?: string };

const queueOption = optional('--queue <name>', `only one of ${sourceNames.join(', ')}`);

export const queue: Noun = {
  name: 'queue',
  summary: 'Work queues and their dead letters',
  verbs: [
    verb<OneQueue>({
      usage: 'list',
      summary: 'Shows depth, age and dead letters of each queue',
      options: [queueOption],
      act: list,
    }),
    verb<OneQueue>({
      usage: 'redrive',
      summary: 'Repeats the work of the dead letters',
      options: [queueOption],
      act: redrive,
    }),
  ],
};

const chosen = ({ queue: name }: OneQueue): readonly Source[] =>
  name === undefined ? sources : sources.filter((source) => source.name === oneOf('--queue', name, sourceNames));

async function list(cloud: Cloud, flags: OneQueue): Promise<Answer> {
  const wanted = chosen(flags);
  const ages = await agesOf(cloud);
  const queues = await Promise.all(wanted.map((source) => viewSource(cloud, source, ages)));
  const rows = queues.map((one) => [
    one.name,
    one.depth,
    one.in_flight,
    one.delayed,
    one.oldest_age_seconds,
    one.dead_letters,
  ]);
  return {
    json: { queues },
    people: table(
      ['queue', 'depth', 'in flight', 'delayed', 'oldest (s)', 'dead letters'],
      rows,
      'There are no queues.',
    ),
  };
}

async function viewSource(cloud: Cloud, source: Source, ages: Awaited<ReturnType<typeof agesOf>>) {
  const depthOfQueue = async (name: string) => depthOf(cloud, await cloud.queueUrl(name));
  const own = source.queue;
  const [depth, dead] = await Promise.all([
    own ? depthOfQueue(cloud.named.queue(own)) : noDepth,
    depthOfQueue(cloud.named.deadLetters(source.name)),
  ]);
  const oldest_age_seconds = (own && ages.get(own)) ?? null;
  return { name: source.name, ...depth, oldest_age_seconds, dead_letters: dead.depth + dead.in_flight };
}

async function redrive(cloud: Cloud, flags: OneQueue): Promise<Answer> {
  const moved: Record<string, number> = {};
  for (const source of chosen(flags)) moved[source.name] = await redriveSource(cloud, source);
  const rows = Object.entries(moved).filter(([, count]) => count > 0);
  return { json: { moved }, people: table(['queue', 'repeated'], rows, 'There are no dead letters.') };
}
