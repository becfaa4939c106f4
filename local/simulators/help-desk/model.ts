import * as z from 'zod';
import type { SeenRequest as JournalRequest } from '../kit/journal.ts';

/** The grant of an access token, as the accounts server knows it. */
export type Grant = { userId: string; clientId: string; scopes: string[]; user?: { name: string; email: string } };

/** Looks up the grant of an access token. */
export type GrantLookup = (accessToken: string) => Promise<Grant | null | undefined>;

type Department = { id: string; name: string; isEnabled: boolean };
type Agent = { id: string; firstName: string; lastName: string; email: string };

export type Organization = {
  id: string;
  companyName: string;
  /** Its users at the accounts server; null for every user who belongs to no other organization. */
  users: string[] | null;
  /** False if the user chose another organization at the consent: it is listed, but the token may not use it. */
  isAccessible: boolean;
  departments: Department[];
  agents: Agent[];
};

/** The organization of a new simulator. */
export const defaultOrganization: Organization = {
  id: '60012345678',
  companyName: 'Example Support',
  users: null,
  isAccessible: true,
  departments: [
    { id: '189200000000006907', name: 'Support', isEnabled: true },
    { id: '189200000000007141', name: 'Sales', isEnabled: true },
  ],
  agents: [
    { id: '189200000000056001', firstName: 'Meera', lastName: 'Joshi', email: 'meera@example.com' },
    { id: '189200000000056002', firstName: 'Arjun', lastName: 'Das', email: 'arjun@example.com' },
  ],
};

const text = (max: number) => z.string().max(max).nullish();

/** The fields of a contact; others are refused (Zoho Desk OpenAPI v1.0, Contact.json). */
export const contactFieldsSchema = z.strictObject({
  lastName: z.string().min(1).max(200),
  firstName: text(100),
  email: text(255),
  secondaryEmail: text(255),
  phone: text(50),
  mobile: text(50),
  type: text(120),
  title: text(100),
  description: text(65_535),
  street: text(500),
  city: text(100),
  state: text(100),
  country: text(100),
  zip: text(50),
  twitter: text(255),
  facebook: text(255),
  language: text(120),
  cf: z.record(z.string(), z.unknown()).nullish(),
});

export type ContactFields = z.infer<typeof contactFieldsSchema>;

export type Contact = {
  id: string;
  orgId: string;
  fields: ContactFields;
  createdAt: number;
  modifiedAt: number;
};

export const idSchema = z
  .union([z.string(), z.int()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,19}$/));

/**
 * The fields of a ticket; others are refused, `tags` too (Zoho Desk OpenAPI v1.0, Ticket.json: createTicketRequest).
 */
export const ticketFieldsSchema = z.strictObject({
  departmentId: idSchema,
  subject: z.string().min(1).max(255),
  description: text(65_535),
  status: text(120),
  channel: text(120),
  phone: text(120),
  email: text(150),
  priority: text(120),
  classification: text(100),
  category: text(300),
  subCategory: text(300),
  assigneeId: idSchema.nullish(),
  teamId: idSchema.nullish(),
  productId: idSchema.nullish(),
  dueDate: z.iso.datetime().nullish(),
  language: text(120),
  resolution: text(65_535),
  cf: z.record(z.string(), z.string().max(100).nullable()).nullish(),
});

export type TicketFields = z.infer<typeof ticketFieldsSchema>;
export type TicketChange = Partial<Omit<TicketFields, 'departmentId'>>;

export type Comment = {
  id: string;
  content: string;
  contentType: 'html' | 'plainText';
  isPublic: boolean;
  attachmentIds: string[];
  commenterId: string;
  commentedAt: number;
};

export type Attachment = {
  id: string;
  name: string;
  isPublic: boolean;
  bytes: Uint8Array<ArrayBuffer>;
  creatorId: string;
  createdAt: number;
};

export type Ticket = {
  id: string;
  /** Counted from 101 in each organization. */
  ticketNumber: string;
  orgId: string;
  contactId: string;
  fields: TicketFields;
  createdBy: string;
  /** In whole seconds, as the vendor stores times. */
  createdAt: number;
  modifiedAt: number;
  closedAt: number | null;
  comments: Comment[];
  attachments: Attachment[];
  tags: { id: string; name: string }[];
  /** The request that created it. */
  requestNumber: number;
};

/** A part of a multipart form. A file has a file name. */
export type Part = { name: string; fileName?: string; bytes: Uint8Array<ArrayBuffer> };

export type SeenRequest = JournalRequest & {
  at: string;
  /** Such as `GET /api/v1/tickets/{id}`; `unknown` if no route matches. */
  route: string;
  query: Record<string, string>;
  orgId: string | null;
  /** Parsed JSON; the names and sizes of an upload's parts; any other body as text. */
  body: unknown;
};
