import * as z from 'zod/mini';
import { secondsBetween } from '../../time/instants.ts';
import {
  admit,
  type EndedAttempt,
  expiryFrom,
  type Lease,
  leaseSchema,
  RETENTION_SECONDS,
  type Receiver,
  type ReceiverRefusal,
  receiverStateSchema,
  type ShareRefusal,
  settleAttempt,
} from '../receiver.ts';

const hostSchema = z.extend(receiverStateSchema, { host: z.string() });

type Host = z.infer<typeof hostSchema>;

/** The receivers of an organization's callbacks, with its open attempts, as stored. */
export const callbackHostsSchema = z.object({
  receiver: z.string(),
  /** Grows with every write. */
  version: z.number(),
  /** The leases of open attempts, each until its worker ends it or may have died. */
  leases: z.array(z.extend(leaseSchema, { host: z.string() })),
  /** The hosts that answered or failed in the last day. */
  hosts: z.array(hostSchema),
  /** Epoch seconds: the table's time to live. */
  expires_at: z.number(),
});

export type CallbackHosts = z.infer<typeof callbackHostsSchema>;

/** The workers of notify-callback. */
export const CALLBACK_WORKERS = 20;

/**
 * The most concurrent attempts of one organization at all its hosts: less than a third of the workers, so that three
 * organizations whose hosts hang leave some workers to the others.
 */
const MAX_AT_ONCE = Math.floor(CALLBACK_WORKERS * 0.3);
/**
 * The most concurrent attempts at hosts that are new or whose last attempt failed, so that the rest stays free for
 * hosts that answer.
 */
const MAX_UNPROVEN = Math.floor(CALLBACK_WORKERS * 0.2);
/** The most concurrent attempts at hosts whose last attempt failed, so that they do not delay a new host. */
const MAX_FAILING = Math.floor(CALLBACK_WORKERS * 0.15);
/** The most stored hosts of each kind, answering and failing: a wildcard DNS name can have any number of hosts. */
const MAX_STORED = 100;

/**
 * Names the item of an organization's callbacks. Two organizations at one host, such as an automation service, have
 * separate leases and breakers, so that neither can block the other.
 */
export const callbacksOf = (orgId: string): string => `callbacks ${orgId}`;

/** Returns the host of a callback address, with its port: the receiver within its organization. */
export const callbackHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'no-host');

/**
 * Decides whether an attempt may begin at a host now: by the host's own rules, and by the organization's share of the
 * workers (docs/call-lifecycle.md, "One slow receiver").
 * @param known undefined if the organization has had no attempt for a day. @param lease the attempt's own.
 */
export function admitCallback(
  { receiver, host }: { receiver: string; host: string },
  known: CallbackHosts | undefined,
  lease: Lease,
  now: Date,
): { kind: 'admitted'; next: CallbackHosts } | ReceiverRefusal | ShareRefusal {
  const item: CallbackHosts = known ?? { receiver, version: 0, leases: [], hosts: [], expires_at: 0 };
  const leases = item.leases.filter(({ until }) => until > now.toISOString());
  // The response to this lease's write was lost.
  if (known && leases.some(({ id }) => id === lease.id)) return { kind: 'admitted', next: known };
  const admission = admit(host, receiverAt(item, host), lease, now);
  if (admission.kind === 'refused') return admission;
  const standing = standingAt(item, host);
  if (isShareTaken(item, leases, standing))
    return { kind: 'refused', reason: 'share', isAnswering: standing === 'answering' };
  const next = { ...item, leases: [...leases, { ...lease, host }], version: item.version + 1 };
  return { kind: 'admitted', next: { ...next, expires_at: expiryFrom(now) } };
}

/** Ends an attempt's lease and records its outcome at its host, by the rules that apply to every receiver. */
export function settleCallback(known: CallbackHosts, ended: EndedAttempt): CallbackHosts {
  const host = known.leases.find(({ id }) => id === ended.leaseId)?.host ?? '';
  const {
    receiver: _,
    version: _version,
    leases: _leases,
    expires_at,
    ...state
  } = settleAttempt(receiverAt(known, host), ended);
  const others = known.hosts.filter((one) => one.host !== host);
  return {
    ...known,
    version: known.version + 1,
    leases: known.leases.filter(({ id }) => id !== ended.leaseId),
    hosts: storedOf([...others, { host, ...state }], ended.now),
    expires_at,
  };
}

type Standing = 'answering' | 'new' | 'failing';

const standingAt = ({ hosts }: CallbackHosts, host: string): Standing =>
  standingOf(hosts.find((one) => one.host === host));

const standingOf = (known: Host | undefined): Standing =>
  known?.answered_at !== undefined ? 'answering' : known?.failed_at !== undefined ? 'failing' : 'new';

function isShareTaken(item: CallbackHosts, leases: CallbackHosts['leases'], standing: Standing): boolean {
  const standings = leases.map(({ host }) => standingAt(item, host));
  const isUnproven = (one: Standing) => one !== 'answering';
  const isFailing = (one: Standing) => one === 'failing';
  return (
    standings.length >= MAX_AT_ONCE ||
    (isUnproven(standing) && standings.filter(isUnproven).length >= MAX_UNPROVEN) ||
    (isFailing(standing) && standings.filter(isFailing).length >= MAX_FAILING)
  );
}

/** Returns the host as a receiver of its own. */
function receiverAt({ leases, hosts, version, expires_at }: CallbackHosts, host: string): Receiver {
  const known = hosts.find((one) => one.host === host);
  const { host: receiver, ...state } = known ?? { host, failures: 0 };
  return { receiver, version, expires_at, leases: leases.filter((one) => one.host === host), ...state };
}

/**
 * Selects the hosts to store: the latest of each kind, in the order of their last attempts. A host that is not stored
 * counts as new.
 */
function storedOf(hosts: readonly Host[], now: Date): Host[] {
  const recent = hosts.filter(
    ({ answered_at, failed_at }) => secondsBetween(answered_at ?? failed_at ?? now, now) <= RETENTION_SECONDS,
  );
  const latest = (standing: Standing) => recent.filter((one) => standingOf(one) === standing).slice(-MAX_STORED);
  return [...latest('failing'), ...latest('answering')];
}
