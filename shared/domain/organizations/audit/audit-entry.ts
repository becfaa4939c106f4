import * as z from 'zod/mini';
import type { Shown } from '../../newer-values.ts';

const memberSchema = z.object({ kind: z.literal('member'), user_id: z.string(), email: z.string() });
/** An operator at the command line, with rights in the AWS account. Operators choose the name; AWS verifies the ARN. */
const operatorSchema = z.object({ kind: z.literal('operator'), name: z.string(), arn: z.optional(z.string()) });

/** The person who makes a change. */
export const actorSchema = z.discriminatedUnion('kind', [memberSchema, operatorSchema]);

export type Actor = z.infer<typeof actorSchema>;

/** The author of a change: a person, or the service itself in a scheduled function of this name. */
const authorSchema = z.discriminatedUnion('kind', [
  memberSchema,
  operatorSchema,
  z.object({ kind: z.literal('service'), name: z.string() }),
]);

export type Author = z.infer<typeof authorSchema>;

/** The kinds of authors. */
export const authorKinds = ['member', 'operator', 'service'] as const satisfies readonly Author['kind'][];

/** The kinds of change, as `<thing>.<verb>`. */
export const auditActions = [
  'member.invited',
  'member.role_changed',
  'member.removed',
  'member.updated',
  'member.signed_out_everywhere',
  'key.created',
  'key.revoked',
  'do_not_call.added',
  'do_not_call.removed',
  'assistant.created',
  'assistant.updated',
  'assistant.deleted',
  'assistant.knowledge_added',
  'assistant.knowledge_removed',
  'call.test_placed',
  'org.created',
  'org.credit_added',
  'org.updated',
  'org.suspended',
  'org.resumed',
  'org.retention_applied',
  'callback_secret.revealed',
  'callback_secret.rotated',
  'call.stopped',
  'call.erased',
  'person.erased',
  'person.exported',
  'call.analyzed',
  'callback.resent',
  'leads.retried',
  'connection.created',
  'connection.updated',
  'connection.consent_begun',
  'connection.consent_pending',
  'connection.consent_refused',
  'connection.consent_expired',
  'connection.connected',
  'connection.token_replaced',
  'connection.disconnected',
  'connection.test_event_sent',
] as const;

/** Returns the author's name for display. A kind of a newer version may have another name, or none. */
export function actorName({ kind, email, name }: Shown<Author>): string {
  const [named] = [email, name].filter((text) => typeof text === 'string');
  return named ?? kind;
}

/** Returns the id or name of the author of a request, for an id that derives from the request. */
export const actorKey = (actor: Actor): string => (actor.kind === 'member' ? actor.user_id : actor.name);

export type AuditAction = (typeof auditActions)[number];

/** The operators' acts that concern every organization. */
const stageActions = [
  'dialing.paused',
  'dialing.resumed',
  'secret.set',
  'secret.rotated',
  'schedule.run',
  'dead_letters.repeated',
  'stage.restore_begun',
  'stage.reconciled',
  'stage.numbers_respelled',
] as const;

export type StageAction = (typeof stageActions)[number];

/** Used in place of an organization in the entries of the whole stage. No organization has this id. */
export const STAGE = 'stage';

/** One act in an organization, such as a change of its settings or members. It never contains a secret. */
export const auditEntrySchema = z.object({
  org_id: z.string(),
  /** `<at>#<random>`, which sorts by time. */
  entry: z.string(),
  at: z.string(),
  actor: authorSchema,
  action: z.enum(auditActions),
  /** Id and readable name of the changed thing. */
  thing: z.object({ id: z.string(), name: z.string() }),
  /** The changed attributes only. */
  before: z.optional(z.record(z.string(), z.unknown())),
  after: z.optional(z.record(z.string(), z.unknown())),
  /** Epoch seconds. */
  expires_at: z.number(),
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** One act of an operator on the whole stage. */
export const stageEntrySchema = z.extend(auditEntrySchema, { action: z.enum(stageActions) });

export type StageEntry = z.infer<typeof stageEntrySchema>;

const KEPT_SECONDS = 400 * 86_400;

export type AuditedChange<Action> = Pick<AuditEntry, 'org_id' | 'actor' | 'thing'> & {
  action: Action;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
};

/**
 * Describes a change, with the attributes that differ.
 * @param token makes two entries of one instant different.
 */
export function auditEntryOf<Action extends AuditAction | StageAction>(
  { before, after, ...change }: AuditedChange<Action>,
  at: Date,
  token: string,
): Omit<AuditEntry, 'action'> & { action: Action } {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  const part = (values: typeof before) => {
    const entries = changed.filter((name) => values?.[name] !== undefined).map((name) => [name, values?.[name]]);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  const [former, current] = [part(before), part(after)];
  return {
    ...change,
    at: at.toISOString(),
    entry: `${at.toISOString()}#${token}`,
    ...(former && { before: former }),
    ...(current && { after: current }),
    expires_at: Math.floor(at.getTime() / 1000) + KEPT_SECONDS,
  };
}
