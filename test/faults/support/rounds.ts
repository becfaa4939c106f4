import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionName } from '../../../lib/functions.ts';
import type { Script } from '../../../local/simulators/voice/scripts.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { type Armed, type Fault, type FaultProxy, faultProxy } from '../../support/stack/fault-proxy.ts';
import { configure, environment, nothingIsUnderWay, variablesOf, voice } from '../../support/stack/stack.ts';
import { coldStart, killWorker, workerBehind } from '../../support/stack/worker-processes.ts';
import type { Probe } from './probes.ts';
import { isFinished, isQuiet, pass, quiet } from './promises.ts';

/** `npm test` loses each answer together with its worker; `npm run test:matrix` applies every fault. */
export const isMatrix = process.env.FAULTS === 'matrix';
export const faultsToTry: Fault[] = isMatrix ? ['drop-and-kill', 'drop', 'kill-before'] : ['drop-and-kill'];

/** The platform's behaviours. The matrix applies a fault to every request under each of them. */
const allPlatforms: { platform: string; script: Script }[] = [
  { platform: 'answers', script: { behaviour: 'answer' } },
  { platform: 'finds nobody at home', script: { behaviour: 'no-answer' } },
  { platform: 'answers 500 after dialing', script: { behaviour: 'server-error-after-dialing' } },
  { platform: 'dials and never answers us', script: { behaviour: 'hang' } },
  { platform: 'breaks the connection after dialing', script: { behaviour: 'drop-after-accepting' } },
  {
    platform: 'accepts and has no slot',
    script: { behaviour: 'not-started', endedReason: 'call.start.error-subscription-concurrency-limit-reached' },
  },
  { platform: 'says everything twice', script: { behaviour: 'answer', duplicateMessages: true } },
  { platform: 'says everything in the wrong order', script: { behaviour: 'answer', shuffleMessages: true } },
  { platform: 'never reports the end', script: { behaviour: 'answer', dropLast: 'report' } },
  { platform: 'never says that it ended', script: { behaviour: 'answer', dropLast: 'ended-and-report' } },
];
const platforms = isMatrix ? allPlatforms : allPlatforms.slice(0, 1);
/** Every fault under every behaviour of the platform. */
export const cases = platforms.flatMap((platform) => faultsToTry.map((fault) => ({ fault, ...platform })));

/** Only Linux can distinguish a function's workers from other processes. */
export const onLinux = process.platform === 'linux' ? describe : describe.skip;

/** VOICE_SLOTS of the stage (lib/stage.ts). */
const STAGE_SLOTS = 10;
const POLL_MS = 200;
/** Simulated seconds per second at the platform. */
const SPEED = 200;
/** Time steps after which a fault must have struck. */
const MAX_STEPS = 45;
/** Service time after which the slots of earlier rounds must be free. */
const MAX_WAIT_MINUTES = 30;

/** Returns whether a request may change data: reads, encryptions and decryptions do not. */
const hasEffect = (what: string): boolean =>
  !/^(DynamoDB (GetItem|BatchGetItem|TransactGetItems|Query)|secretsmanager GetSecretValue|TrentService (De|En)crypt)\b|^\S+( \S+)? (GET|HEAD) /i.test(
    what,
  );

/** The request for the fault: the n-th of its kind, because a call's messages may overtake each other. */
type Aim = { name: FunctionName; what: string; request: number };

/**
 * Watches the requests of the round's call and connection, or all requests of the functions.
 * @returns a function that stops it
 */
type Arm = (...ids: string[]) => Promise<() => void>;

/** For a round whose `start` waits until the work is complete. */
export const isThrough = async (): Promise<boolean> => true;

/** One call to which a fault may be applied. */
export type Round = {
  probe: Probe;
  /** Whether the functions are idle, so that faults can no longer strike; by default when the call is finished. */
  isThrough?: () => Promise<boolean>;
  /** Repeats the message of the function as soon as the fault has struck. */
  again?: (name: FunctionName) => Promise<unknown>;
};

type Running<R> = { round: R; aim: Aim | undefined; armed: Map<FunctionName, Armed> };

type Options = {
  /** The functions to which faults apply; default: all that the proxy watches. */
  names?: readonly FunctionName[];
  /** Concurrent rounds, unless the requests of a function name neither call nor connection. */
  atOnce?: number;
  /** The kinds of requests with an effect to which `npm test` applies a fault. */
  isOfInterest?: (what: string) => boolean;
  /** Service time that passes while a fault has not struck and no work is under way. */
  stepSeconds?: number;
  /**
   * Simulated seconds per second at the platform in a round that begins with cold workers. At the usual speed a whole
   * call fits into a slow cold start, so that its report may be applied before the messages about its progress.
   */
  coldSpeed?: number;
};

/** Puts a proxy in front of these functions. The platform has more slots than the service uses. */
export function disturbed(...watched: FunctionName[]) {
  let faults: FaultProxy;
  beforeAll(async () => {
    await voice.settings({ speed: SPEED, slots: 100 });
    faults = faultProxy({ environment, nothingIsUnderWay, variablesOf, configure, workerBehind, killWorker });
    await faults.between(...watched);
  });
  afterAll(() => faults?.remove());

  /**
   * Runs one call without a fault, and then one call per request of the functions for the first call, each with the
   * fault at that request. `npm test` uses the first of each kind with an effect: a worker that dies at a read leaves
   * the same state as one that dies after the write before it, or as one that never began. The matrix uses every
   * request, and the simulation lets processes die at any of them.
   * @param start prepares a call, arms the fault, and starts the work
   * @returns all rounds, and the kinds of requests of each function
   */
  async function atEveryRequest<R extends Round>(
    fault: Fault,
    start: (arm: Arm) => Promise<R>,
    { names = watched, atOnce = 1, isOfInterest = () => true, stepSeconds = 60, coldSpeed = SPEED }: Options = {},
  ) {
    const rounds: R[] = [];
    const run = async (aims: (Aim | undefined)[], isCold = false): Promise<Running<R>[]> => {
      await untilSlotsAreFree(aims.length);
      await voice.settings({ speed: isCold ? coldSpeed : SPEED });
      const running = await Promise.all(
        aims.map(async (aim) => {
          const armed = new Map<FunctionName, Armed>();
          const round = await start(async (...ids) => {
            for (const name of aim ? [aim.name] : names) {
              if (isCold) await coldStart(name);
              armed.set(name, faults.arm(name, { ...aim, fault, ...(ids.length > 0 && { ids }) }));
            }
            return () => disarm(armed);
          });
          return { round, aim, armed };
        }),
      );
      await untilStruck(running, stepSeconds);
      rounds.push(...running.map(({ round }) => round));
      return running;
    };
    const [first] = await run([undefined], true);
    const made = [...(first?.armed ?? [])].map(([name, { requests }]) => [name, [...requests]] as const);
    const aims = made.flatMap(([name, requests]) =>
      requests
        .map((what, index) => ({
          name,
          what,
          request: requests.slice(0, index + 1).filter((one) => one === what).length,
        }))
        .filter(({ what, request }) => isMatrix || (request === 1 && hasEffect(what) && isOfInterest(what))),
    );
    // Another round's fault in its batch may have killed the worker.
    const hasMet = ({ armed }: Running<R>) =>
      [...armed.values()].some(({ struck, killed }) => struck && (fault === 'drop' || killed));
    const missed: Aim[] = [];
    for (let next = 0; next < aims.length; next += atOnce)
      // Whether a second request of a kind occurs depends on batching; a first one always occurs.
      for (const one of await run(aims.slice(next, next + atOnce)))
        if (one.aim?.request === 1 && !hasMet(one)) missed.push(one.aim);
    for (const aim of missed) {
      const [alone] = await run([aim], true);
      const requests = alone?.armed.get(aim.name)?.requests ?? [];
      if (!alone || !hasMet(alone)) throw new Error(`${aim.what} was not requested, but ${requests.join(', ')}`);
    }
    const kinds = Object.fromEntries(made.map(([name, requests]) => [name, [...new Set(requests)]]));
    return { rounds, probes: rounds.map(({ probe }) => probe), kinds };
  }

  return { atEveryRequest, faults: () => faults };
}

const disarm = (armed: Running<Round>['armed']): void => {
  for (const one of armed.values()) one.disarm();
};

const isStruck = ({ armed }: Running<Round>): boolean => [...armed.values()].some(({ struck }) => struck !== undefined);

/** Waits until each round met its fault or can no longer meet it, and repeats its message at once. */
async function untilStruck(running: readonly Running<Round>[], stepSeconds: number): Promise<void> {
  const open = new Set(running);
  for (let steps = 0; ; ) {
    const isStill = await isQuiet();
    for (const one of open) {
      const { probe, isThrough = () => isFinished(probe), again } = one.round;
      if (!isStruck(one) && !(isStill && (await isThrough()))) continue;
      open.delete(one);
      // Otherwise a fault that did not strike could strike the duplicate.
      disarm(one.armed);
      for (const name of one.armed.keys()) await again?.(name);
    }
    if (open.size === 0) return quiet();
    if (!isStill) await sleep(POLL_MS);
    // A fault of another round may have delayed this round's message.
    else if (steps++ < MAX_STEPS) await pass(stepSeconds);
    else throw new Error(`neither struck nor done: ${JSON.stringify([...open].map(({ aim, round }) => [aim, round]))}`);
  }
}

/** Calls with a fault keep their slot until recover-calls settles them, so time must pass before the next ones. */
async function untilSlotsAreFree(wanted: number): Promise<void> {
  for (let minute = 0; ; minute += 1) {
    const { live } = await stores.slots.stage();
    if (live + Math.min(wanted, STAGE_SLOTS) <= STAGE_SLOTS) return;
    if (minute === MAX_WAIT_MINUTES) throw new Error(`${live} slots are still in use after ${minute} minutes`);
    await quiet();
    await pass(60);
  }
}
