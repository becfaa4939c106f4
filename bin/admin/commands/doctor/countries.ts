import { type Check, failed, ok } from './check.ts';

const ORGS_PER_PAGE = 1_000;
const MAX_NAMED = 3;

/** Checks that each organization has a list of countries: without a list, it may call every country. */
export const countries: Check = {
  name: 'countries',
  rights: 'dynamodb:Scan',
  async examine({ cloud, requireStack, admin }) {
    await requireStack('data');
    const open: string[] = [];
    for await (const id of cloud.organizationScan.withoutCountries(ORGS_PER_PAGE)) open.push(id);
    if (open.length === 0) return [ok('Every organization has its list of countries.')];
    const named = `${open.slice(0, MAX_NAMED).join(', ')}${open.length > MAX_NAMED ? ', …' : ''}`;
    const [subject, pronoun] = open.length === 1 ? ['organization has', 'It'] : ['organizations have', 'They'];
    return [
      failed(
        `${open.length} ${subject} no list of countries: ${named}. ${pronoun} may call every country.`,
        admin('org adopt-countries --all'),
      ),
    ];
  },
};
