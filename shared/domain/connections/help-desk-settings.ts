import * as z from 'zod/mini';

/** The help desk's ids are long numbers, which could lose digits as JSON numbers. */
const id = z.string().check(z.regex(/^[\w-]{1,50}$/, 'must be an id'));
const name = z.string().check(z.minLength(1), z.maxLength(100));
/** The limit of a ticket's priority and status (Zoho Desk, createTicketRequest). */
const literal = z.string().check(z.minLength(1), z.maxLength(120));

/** A mapping from values of an extracted field to values of the help desk. Unmapped values set the fallback, if any. */
const mapping = z.strictObject({
  /** The extracted field. */
  field: name,
  values: z.record(name, literal),
  fallback: z.optional(literal),
});

/** The form of a tag (Zoho Desk, associateTag): no colon, no slash, not the word null. */
const tag = z.string().check(
  z.minLength(3),
  z.maxLength(50),
  z.regex(/^[\w.\-+% \u0080-\u{10FFFF}]*$/u, 'may have letters, digits, spaces and _ . - + %'),
  z.refine((text) => text !== 'null', 'must not be the word null'),
);

/**
 * The settings of a help-desk connection (docs/help-desk.md, "Settings"). Defaults apply to absent members and are not
 * stored.
 */
export const helpDeskSettingsSchema = z.strictObject({
  departmentId: id,
  /** Set automatically if the grant has only one organization. */
  orgId: z.optional(id),
  subject_template: z.optional(z.string().check(z.minLength(1), z.maxLength(1_000))),
  description_template: z.optional(z.string().check(z.minLength(1), z.maxLength(10_000))),
  attach_call_recording: z.optional(z.boolean()),
  attach_full_transcript: z.optional(z.boolean()),
  /** Tickets are created only if this extracted field has one of these values. */
  run_condition: z.optional(z.strictObject({ field: name, in: z.array(name).check(z.minLength(1), z.maxLength(100)) })),
  priority_mapping: z.optional(mapping),
  classification_mapping: z.optional(mapping),
  assignee_mapping: z.optional(mapping),
  /** A request accepts at most 51 tags (Zoho Desk, associateTag). */
  tags: z.optional(z.array(tag).check(z.maxLength(51))),
  /** An erasure of a call or a person moves its tickets into the trash (docs/personal-data.md). */
  erase_records: z.optional(z.boolean()),
});

/** The same settings as they are stored. A setting of a newer version is left out. */
export const storedHelpDeskSettings = z.object(helpDeskSettingsSchema.def.shape);
