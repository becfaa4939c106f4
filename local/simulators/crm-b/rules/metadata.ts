import { createHash } from 'node:crypto';
import { firstUsers } from '../../zoho-accounts/model.ts';
import { relatedFields } from '../fields.ts';
import type { Handler } from './caller.ts';
import { problems } from './problems.ts';

export const listUsers: Handler = (state, { user, query }) => {
  const all = state.users().filter(({ org }) => org === user.org);
  const wanted = query.get('type') === 'CurrentUser' ? [user] : all;
  const users = wanted.map(({ id, name, email }) => {
    const [firstName, ...lastNames] = name.split(' ');
    return {
      id,
      full_name: name,
      first_name: firstName,
      last_name: lastNames.join(' '),
      email,
      status: 'active',
      confirm: true,
      role: { name: 'CEO', id: '554000000000026' },
      profile: { name: 'Administrator', id: '554000000000031' },
      time_zone: 'Asia/Kolkata',
      offset: 19_800_000,
    };
  });
  const info = { per_page: 200, count: users.length, page: 1, more_records: false };
  return { status: 200, json: { users, info } };
};

export const getOrganization: Handler = (state, { user }) => {
  const organization = {
    id: organizationIdOf(user.org),
    company_name: user.org,
    country_code: 'IN',
    time_zone: 'Asia/Kolkata',
    zgid: '60000000001',
    primary_email: state.someUser(null, user.org).email,
  };
  return { status: 200, json: { org: [organization] } };
};

export const listFields: Handler = (state, { query }) => {
  const module = query.get('module');
  if (!module) throw problems.missingParam('module');
  if (module === 'Calls' || module === 'Notes') return { status: 200, json: { fields: relatedFields(module) } };
  if (module !== 'Leads') throw problems.invalidModule(0);
  return { status: 200, json: { fields: state.fields.all() } };
};

/** The first users' organization has a fixed id; other ids derive from the organization's name. */
const organizationIdOf = (name: string): string =>
  name === firstUsers[0]?.org
    ? '554000000000001'
    : `554${BigInt(`0x${createHash('sha256').update(name).digest('hex').slice(0, 12)}`)
        .toString()
        .padStart(15, '0')}`;
