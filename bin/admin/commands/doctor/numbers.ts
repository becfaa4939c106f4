import { findMisspelled } from '../../../../shared/operations/calls/respell-numbers.ts';
import { type Check, failed, ok } from './check.ts';

/**
 * Checks that every number is stored in canonical spelling: a do-not-call entry in another spelling does not prevent a
 * call.
 */
export const numbers: Check = {
  name: 'numbers',
  rights: 'dynamodb:Scan and dynamodb:Query',
  async examine({ cloud, requireStack, admin }) {
    await requireStack('data');
    const found = { do_not_call: 0, organization: 0, call: 0 };
    for await (const { of } of findMisspelled(cloud)) found[of] += 1;
    const { do_not_call, organization, call } = found;
    if (do_not_call + organization + call === 0) return [ok('Every number is stored in canonical spelling.')];
    return [
      failed(
        `${do_not_call} do-not-call entries, ${organization} organizations and ${call} open calls have a number with ` +
          'a trunk zero behind its country code. Such an entry does not protect the number in its usual spelling.',
        admin('stage respell'),
      ),
    ];
  },
};
