import * as z from 'zod/mini';

/** Ids are long numbers at the help desk; as JSON numbers they could lose their last digits. */
const id = z.string().check(z.regex(/^[\w-]{1,50}$/, 'must be an id'));
const name = z.string().check(z.minLength(1), z.maxLength(100));
/** Longest priority and status of a ticket (Zoho Desk, createTicketRequest). */
const literal = z.string().check(z.minLength(1), z.maxLength(120));

/** From the value of an extracted field to one of the help desk's; without a fallback, other values set nothing. */
const mapping = z.strictObject({
  /** The extracted field. */
  field: name,
  values: z.record(name, literal),
  fallback: z.optional(literal),
});

/** What a tag may be (Zoho Desk, associateTag): no colon, no slash, not the word null. */
const tag = z.string().check(
  z.minLength(3),
  z.maxLength(50),
  z.regex(/^[\w.\-+% \u0080-\u{10FFFF}]*$/u, 'may have letters, digits, spaces and _ . - + %'),
  z.refine((text) => text !== 'null', 'must not be the word null'),
);

/**
 * What a help-desk connection can be told (interface, "Help-desk connection settings"). Members that are absent have the
 * interface's defaults, which are not stored.
 */
export const helpDeskSettingsSchema = z.strictObject({
  departmentId: id,
  /** Chosen at connect where there is one. */
  orgId: z.optional(id),
  subject_template: z.optional(z.string().check(z.minLength(1), z.maxLength(1_000))),
  description_template: z.optional(z.string().check(z.minLength(1), z.maxLength(10_000))),
  attach_call_recording: z.optional(z.boolean()),
  attach_full_transcript: z.optional(z.boolean()),
  /** A ticket only where this extracted field has one of these values. */
  run_condition: z.optional(z.strictObject({ field: name, in: z.array(name).check(z.minLength(1), z.maxLength(100)) })),
  priority_mapping: z.optional(mapping),
  classification_mapping: z.optional(mapping),
  assignee_mapping: z.optional(mapping),
  /** At most 51 in one request (Zoho Desk, associateTag). */
  tags: z.optional(z.array(tag).check(z.maxLength(51))),
});
