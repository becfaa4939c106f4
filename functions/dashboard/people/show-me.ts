import * as z from 'zod/mini';
import { viewMe } from '../../../shared/domain/organizations/members/member-view.ts';
import { showMe as route } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { showMe } from '../../../shared/operations/organizations/members/show-me.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ORGANIZATIONS_TABLE: z.string(), STAGE_NAME: z.string() });
const db = documentClient(quick);

const members = memberStore(db, config.MEMBERS_TABLE);
const deps = { members, organizations: organizationStore(db, config.ORGANIZATIONS_TABLE) };

export const handler = dashboardRoute(route, memberAdmission({ members }), async ({ member }) =>
  answer(200, viewMe(member, { ...(await showMe(deps, member)), stage: config.STAGE_NAME })),
);
