import * as z from 'zod/mini';

const limit = z.optional(z.number());

/** The attributes of an organization that decide whether a request with its API key is admitted. */
export const admissionAttributes = {
  org_id: z.string(),
  requests_per_minute: limit,
  outbound_per_minute: limit,
  suspended_at: z.optional(z.string()),
};

/** The part of an organization that admits its requests. */
export const admittedOrganizationSchema = z.object(admissionAttributes);
export type AdmittedOrganization = z.infer<typeof admittedOrganizationSchema>;
