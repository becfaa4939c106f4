import { holdFor } from '../../../shared/domain/organizations/credit.ts';
import type { Me } from '../../../shared/messages/dashboard/people.ts';
import { formatCredits } from '../times.ts';

type Rates = Pick<Me['org'], 'least_rate' | 'most_rate'>;

/** "10", or "10 to 25" if it depends on the number's country. */
export const formatCreditRange = (least: number, most: number): string =>
  least === most ? formatCredits(least) : `${formatCredits(least)} to ${formatCredits(most)}`;

/** "1 credit", "1 to 2.5 credits, by country": the cost of a started minute of talk. */
export const formatRate = ({ least_rate: least, most_rate: most }: Rates): string =>
  `${formatCreditRange(least, most)} ${least === 1 && most === 1 ? 'credit' : 'credits'}${least === most ? '' : ', by country'}`;

/** Returns the minimum and maximum credits that a call of this maximum duration holds, by country. */
export const holdRange = (
  { least_rate, most_rate }: Rates,
  maxDurationSeconds: number,
): [least: number, most: number] => [holdFor(least_rate, maxDurationSeconds), holdFor(most_rate, maxDurationSeconds)];
