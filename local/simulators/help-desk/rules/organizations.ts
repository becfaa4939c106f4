import type { Organization } from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Handler } from './caller.ts';
import { allowOnly, cut, readPage } from './query.ts';

const record = ({ settings }: HelpDeskState, { id, companyName }: Organization) => ({
  id: settings.organizationIdsAs === 'numbers' ? Number(id) : id,
  companyName,
  edition: 'STANDARD',
  country: 'India',
  city: null,
  isAdminInOrg: true,
});

/** Lists every organization of the user. */
export const listOrganizations: Handler = (state, { query, user }) => {
  allowOnly(query, ['includeLogo']);
  return { status: 200, json: { data: state.organizationsOf(user).map((each) => record(state, each)) } };
};

/** Lists the organizations that the token may use. */
export const listAccessibleOrganizations: Handler = (state, { query, user }) => {
  allowOnly(query, []);
  const data = state.organizationsOf(user).filter(({ isAccessible }) => isAccessible);
  return { status: 200, json: { data: data.map((each) => record(state, each)) } };
};

export const listDepartments: Handler = (_, { query, organization }) => {
  allowOnly(query, ['from', 'limit', 'isEnabled', 'searchStr', 'chatStatus']);
  const wanted = query.get('isEnabled');
  const found = organization.departments.filter(({ isEnabled }) => wanted === null || String(isEnabled) === wanted);
  const rows = cut(found, readPage(query, 0));
  return rows.length === 0 ? { status: 204 } : { status: 200, json: { data: rows } };
};

export const listAgents: Handler = (_, { query, organization }) => {
  allowOnly(query, ['from', 'limit', 'status', 'searchStr']);
  const rows = cut(organization.agents, readPage(query, 1));
  const data = rows.map(({ email, ...agent }) => ({ ...agent, emailId: email, status: 'ACTIVE' }));
  return data.length === 0 ? { status: 204 } : { status: 200, json: { data } };
};

/** Shows the agent whose rights the token has (Zoho Desk v1, "Get my info"). */
export const showMyInfo: Handler = (_, { query, user, person }) => {
  allowOnly(query, ['include']);
  const [firstName = '', ...lastNames] = person.name.split(' ');
  const json = {
    id: user,
    name: person.name,
    firstName,
    lastName: lastNames.join(' '),
    emailId: person.email,
    status: 'ACTIVE',
    isConfirmed: true,
    timeZone: 'Asia/Kolkata',
    rolePermissionType: 'Admin',
  };
  return { status: 200, json };
};
