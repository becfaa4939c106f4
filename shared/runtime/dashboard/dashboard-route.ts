import type * as z from 'zod/mini';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { Member } from '../../domain/organizations/members/member.ts';
import type { DashboardRoute } from '../../messages/dashboard/route.ts';
import type { AdmitMember, MemberAdmission } from '../../operations/organizations/members/admit-member.ts';
import { type RestAnswer, type RestRequest, restRoute } from '../rest/rest-route.ts';
import { decline } from './dashboard-answer.ts';
import { readBody, readIdempotencyKey, readInput } from './dashboard-input.ts';

type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;

export type MemberRequest<Row extends DashboardRoute> = {
  /** The person who sends the request. The organization always comes from here, never from the request. */
  member: Member;
  actor: Actor;
  path: Readonly<Record<string, string | undefined>>;
  body: Output<Row['request']>;
  query: Output<Row['query']>;
  accessToken: string;
  /** Absent for a route that takes none, and for a request without an optional one. */
  idempotencyKey: Row extends { idempotencyKey: 'required' } ? string : string | undefined;
  /** The body as received, for a route that takes files. */
  request: RestRequest;
};

/**
 * Creates the Lambda handler of a dashboard route. The gateway has verified the token; the handler checks membership
 * and role, then query and body, by the route's row.
 */
export const dashboardRoute = <const Row extends DashboardRoute>(
  row: Row,
  admit: AdmitMember,
  route: (request: MemberRequest<Row>) => Promise<RestAnswer>,
) =>
  restRoute(async (request) => {
    if (row.role === 'none') throw new Error('a route without a role needs sessionRoute');
    const admission = await admit(request.claims, row.role);
    if (admission.kind !== 'admitted') return refuseMember(admission);
    const query = row.query ? readInput(row.query, request.query, 'The query') : undefined;
    if (query?.ok === false) return query.answer;
    const body = row.request ? readBody(row.request, request, row.mostBytes) : undefined;
    if (body?.ok === false) return body.answer;
    const idempotencyKey = row.idempotencyKey ? readIdempotencyKey(request, row.idempotencyKey) : undefined;
    if (idempotencyKey?.ok === false) return idempotencyKey.answer;
    const { member } = admission;
    return await route({
      member,
      actor: { kind: 'member', user_id: member.user_id, email: member.email },
      path: request.path,
      body: body?.value as Output<Row['request']>,
      query: query?.value as Output<Row['query']>,
      idempotencyKey: idempotencyKey?.value as MemberRequest<Row>['idempotencyKey'],
      request,
      accessToken: (request.headers.authorization ?? '').replace(/^bearer\s+/i, ''),
    });
  });

function refuseMember(admission: Exclude<MemberAdmission, { kind: 'admitted' }>): RestAnswer {
  switch (admission.kind) {
    case 'session_ended':
      return decline({ error: admission.kind, message: 'The session has ended. Sign in again.' });
    case 'no_membership':
      return decline({ error: admission.kind, message: 'You are no longer a member of an organization.' });
    case 'not_permitted':
      return decline({ error: admission.kind, message: `This needs the role ${admission.needed}.` });
  }
}
