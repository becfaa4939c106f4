import type * as z from 'zod/mini';
import type { Role } from '../../domain/organizations/members/member.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A route of the dashboard's API, shared by its function, the browser's client, the authorization tests and the
 * documents.
 */
export type DashboardRoute = {
  method: Method;
  /** Below /api/dashboard; a part in braces is a parameter. */
  path: `/${string}`;
  /** The lowest role that may use it; `none` for the routes of sessions and of password resets. */
  role: Role | 'none';
  /** The JSON body. */
  request?: z.ZodMiniType;
  /** The maximum length of the JSON body; absent for 64 KB. */
  mostBytes?: number;
  /** The body is multipart/form-data, with files, instead of JSON. */
  takesFiles?: true;
  /**
   * Whether a request must, or may, have the header `Idempotency-Key`: a repeat with the same key changes nothing. The
   * dashboard always sends it.
   */
  idempotencyKey?: 'required' | 'optional';
  query?: z.ZodMiniType;
  /** The body of a successful answer; absent for no body. */
  answer?: z.ZodMiniType;
};

/** The prefix of all routes. */
export const DASHBOARD_PATH = '/api/dashboard';
