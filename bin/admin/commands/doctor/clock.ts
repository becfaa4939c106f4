import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type Check, type Finding, failed, ok, warning } from './check.ts';

/** A synchronized clock differs by less. */
const MIN_TO_WARN_SECONDS = 5;
/** AWS refuses a signature that is older (Signature Version 4, "Elements of an API request signature"). */
const MIN_TO_FAIL_SECONDS = 300;
const SHOWN_FROM_SECONDS = 1;

const fix = 'sudo timedatectl set-ntp true';

/** Judges the difference between two clocks. @param seconds by which this machine is ahead of AWS. */
export function assessClock(seconds: number): Finding {
  const distance = Math.abs(seconds);
  if (distance < MIN_TO_WARN_SECONDS)
    return ok(
      `This machine's clock differs from AWS's by ${distance < SHOWN_FROM_SECONDS ? 'less than a second' : `about ${Math.round(distance)} s`}.`,
    );
  const sentence = `This machine's clock is ${Math.round(distance)} s ${seconds > 0 ? 'ahead of' : 'behind'} AWS's: entries in the audit log get wrong times`;
  return distance < MIN_TO_FAIL_SECONDS
    ? warning(`${sentence}.`, fix)
    : failed(`${sentence}, and AWS refuses signatures.`, fix);
}

/** Compares this machine's clock with the time in an answer of AWS, in whole seconds. */
export const clock: Check = {
  name: 'clock',
  rights: 'sts:GetCallerIdentity',
  async examine({ cloud }) {
    const client = cloud.readOnlyClient(STSClient);
    let answeredAt: string | undefined;
    client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        answeredAt = (result.response as { headers?: Record<string, string> }).headers?.date;
        return result;
      },
      { step: 'deserialize', name: 'readDate' },
    );
    const before = cloud.now().getTime();
    await client.send(new GetCallerIdentityCommand());
    const middle = (before + cloud.now().getTime()) / 2;
    const theirs = Date.parse(answeredAt ?? '') + 500;
    if (Number.isNaN(theirs)) return [warning('Not checked: the answer of AWS has no date.')];
    return [assessClock((middle - theirs) / 1000)];
  },
};
