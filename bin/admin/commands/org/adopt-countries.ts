import { Option } from 'commander';
import { adoptAllCountries, adoptCountries } from '../../../../shared/operations/calls/adopt-countries.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg, orgNotFound } from '../../cloud/records.ts';
import { Refusal, WrongUsage } from '../../failures.ts';
import { paragraphs, table } from '../../output.ts';
import { type Answer, optional, verb } from '../../verb.ts';
import { showOrg } from './view.ts';

type Adopting = { org?: string; all?: boolean };

export const adoptCountriesVerb = verb<Adopting>({
  usage: 'adopt-countries',
  summary:
    'Limits organizations without a list of countries to the countries that they have called so far; can be repeated',
  options: [
    optional('--org <id>', 'organization ID'),
    new Option('--all', 'every organization that has no list of countries yet'),
  ],
  act: adopt,
});

async function adopt(cloud: Cloud, { org: orgId, all = false }: Adopting): Promise<Answer> {
  if (all === (orgId !== undefined)) throw new WrongUsage('error: give either --org <id> or --all');
  return orgId === undefined ? adoptAll(cloud) : adoptOne(cloud, orgId);
}

async function adoptOne(cloud: Cloud, orgId: string): Promise<Answer> {
  const adopting = await adoptCountries(cloud, await cloud.operator(), await findOrg(cloud, orgId));
  switch (adopting.kind) {
    case 'org_not_found':
      throw orgNotFound(orgId);
    case 'has_countries':
      return showOrg(adopting.org, 'The organization already has its countries; nothing changed.');
    case 'changed_meanwhile':
      throw new Refusal(adopting.kind, 'The organization has changed meanwhile. Run the command again.');
    case 'adopted':
      return showOrg(adopting.org, 'The organization may call only these countries.');
  }
}

async function adoptAll(cloud: Cloud): Promise<Answer> {
  const { adopted, failed } = await adoptAllCountries(cloud, await cloud.operator());
  const failures = failed.map(({ org_id, error }) => ({ org_id, message: messageOf(error) }));
  const limited = adopted.map(({ org_id, countries }) => [org_id, countries.join(', ')]);
  const open = failures.map(({ org_id, message }) => [org_id, message]);
  const people = paragraphs(
    table(['organization', 'may call'], limited, 'No organization got a list of countries.'),
    open.length > 0
      ? `${table(['organization', 'failed'], open, '')}\nThese may still call every country: run the command again.`
      : undefined,
  );
  return { json: { adopted, failed: failures }, people, isFailure: failures.length > 0 };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
