import { randomInt } from 'node:crypto';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { planBurst } from './burst-plan.ts';
import { LEAD_NUMBERS, type LeadFields, type LeadWishes, newLead, ownerReassignment } from './payloads.ts';
import { type BurstResult, crmASender, MAX_FAILURES, NoAnswer } from './sender.ts';
import { Failure, findTarget, isOnThisMachine, type TargetOptions, WrongUsage } from './target.ts';

/**
 * Plays LeadSquared: `npm run simulate:crm-a -- <verb>`. It posts to the demo connection of `npm start`, or to the one
 * that --url, --token and --owner name. Exit codes: 0 accepted, 1 refused or unreachable, 2 wrong usage.
 */
const program = new Command('simulate:crm-a')
  .description('Plays CRM-A (LeadSquared): registers the webhook, and posts leads to it.')
  .showHelpAfterError('(see --help)')
  .exitOverride();

type Options = TargetOptions & { seed?: number; anyPhone?: boolean };
type LeadOptions = Options & Pick<LeadWishes, 'id' | 'phone' | 'firstName' | 'city' | 'doNotCall'>;
type BurstOptions = Options & { duplicates: number; sharedPhones: number; atOnce: number };

const whole = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
};

const verb = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .option('--url <address>', "another connection's webhook; needs --token, and --owner for leads")
    .option('--token <token>', 'the token that is sent')
    .option('--owner <id>', "the id of the leads' owner");

const leadVerb = (name: string, description: string) =>
  verb(name, description)
    .option('--seed <number>', 'the same number gives the same leads', whole(0, LEAD_NUMBERS - 1))
    .option('--any-phone', 'also send made-up phone numbers to another machine, where no system really dials');

verb('register', 'send the requests of a webhook registration: HEAD, then GET').action(
  async (options: TargetOptions) => {
    const { head, get } = await crmASender(findTarget(options, [])).register();
    console.log(`HEAD ${head}\nGET  ${get}`);
    if (![head, get].every((status) => status >= 200 && status < 300))
      throw new Failure('LeadSquared would not accept this URL: it requires 2xx for both.');
  },
);

leadVerb('new-lead', 'post a lead that was created (event 3)')
  .option('--phone <number>', 'its phone, such as +919812345679')
  .option('--first-name <name>', 'its first name')
  .option('--id <id>', 'its id; the id of an earlier lead posts that lead again')
  .option('--do-not-call', 'mark it as not to be called')
  .option('--city <name>', 'its city')
  .action((options: LeadOptions) => sendLead(options, (wishes) => one(newLead(wishes))));

leadVerb('reassign', 'post a lead whose owner was changed (event 4), by default to the trigger owner')
  .option('--phone <number>', 'its phone, such as +919812345679')
  .option('--id <id>', 'its id')
  .action((options: LeadOptions) =>
    sendLead(options, (wishes) => {
      const body = ownerReassignment(wishes);
      return { body, lead: body.After };
    }),
  );

leadVerb('burst', 'post many leads that were created')
  .argument('<posts>', 'how many', whole(1, 100_000))
  .option('--duplicates <percent>', 'posts that repeat an earlier one', whole(0, 100), 20)
  .option('--shared-phones <percent>', "leads that have another lead's phone", whole(0, 100), 10)
  .option('--at-once <number>', 'requests under way at the same time', whole(1, 500), 10)
  .action(async (posts: number, options: BurstOptions) => {
    const { duplicates, sharedPhones, atOnce, seed = randomInt(LEAD_NUMBERS) } = options;
    const target = findTarget(options, ['token', 'owner']);
    refuseInventedPhones(target.url, options);
    const bodies = planBurst({ posts, duplicates, sharedPhones, seed, owner: target.owner, at: new Date() });
    printResult(await crmASender(target).burst(bodies, atOnce), posts, seed);
  });

const one = (lead: LeadFields) => ({ body: lead, lead });

async function sendLead(
  options: LeadOptions,
  bodyOf: (wishes: LeadWishes) => { body: LeadFields | { Before: LeadFields; After: LeadFields }; lead: LeadFields },
): Promise<void> {
  const { seed: number = randomInt(LEAD_NUMBERS), id, phone, firstName, city, doNotCall } = options;
  const target = findTarget(options, ['token', 'owner']);
  if (phone === undefined) refuseInventedPhones(target.url, options);
  const { body, lead } = bodyOf({ number, owner: target.owner, at: new Date(), id, phone, firstName, city, doNotCall });
  const { status, text } = await crmASender(target).post(body);
  if (status !== 200) throw new Failure(explain(status, text, target.url));
  console.log(`200 ${text}\nlead ${lead.ProspectID}, ${lead.FirstName}, ${lead.Phone}, owner ${lead.OwnerId}`);
}

/** Refuses invented numbers for another machine: they may belong to real people, and that machine may dial them. */
function refuseInventedPhones(url: string, { anyPhone }: Options): void {
  if (!anyPhone && !isOnThisMachine(url))
    throw new WrongUsage(
      'Made-up phone numbers may be real people: give --phone, or --any-phone if no system really dials.',
    );
}

function explain(status: number, text: string, url: string): string {
  if (status === 401) return `${url} refuses the token (401): give the connection's token with --token.`;
  if (status === 404) return `${url} knows no such connection (404): check the address.`;
  return `${url} answered ${status} ${text.slice(0, 200)}`.trim();
}

function printResult(
  { seconds, statuses, posts, leads, phones, turnedOff }: BurstResult,
  wanted: number,
  seed: number,
): void {
  const accepted = statuses.get(200) ?? 0;
  console.log(
    [
      `${posts} posts in ${seconds.toFixed(1)} s, ${(accepted / seconds).toFixed(1)} accepted/s`,
      ...[...statuses].map(([status, count]) => `  ${String(status).padEnd(10)} ${count}`),
      `${leads} distinct leads, ${phones} distinct phones (--seed ${seed} sends the same again)`,
    ].join('\n'),
  );
  if (turnedOff) {
    const rest = posts < wanted ? `; the other ${wanted - posts} posts were not sent` : '';
    throw new Failure(`LeadSquared would turn the webhook off after these ${MAX_FAILURES} failures in a row${rest}.`);
  }
  if (accepted < posts) throw new Failure(`${posts - accepted} of ${posts} posts were not accepted.`);
}

/** @returns the exit code. */
async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    // Commander has shown it already. A request for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof WrongUsage) {
      console.error(`${error.message}\n(see --help)`);
      return 2;
    }
    if (error instanceof NoAnswer) console.error(`${error.message}: is the service running (npm start)?`);
    else if (error instanceof Failure) console.error(error.message);
    else throw error;
    return 1;
  }
}

process.exitCode = await run();
