import type { Shown } from '../../../shared/domain/newer-values.ts';
import type { ChainHead } from '../../../shared/domain/organizations/audit/audit-chain.ts';
import { type Author, actorName, STAGE } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { type Earlier, verifyChain } from '../../../shared/domain/organizations/audit/audit-verification.ts';
import { viewAuditEntry } from '../../../shared/domain/organizations/members/member-view.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { findOrg } from '../cloud/records.ts';
import { Refusal } from '../failures.ts';
import { paragraphs, table } from '../output.ts';
import { invalid, wholeNumber } from '../values.ts';
import { type Answer, type Noun, optional, verb } from '../verb.ts';

const ENTRIES = 50;
const MAX_ENTRIES = 1_000;
/** More than an organization writes in the 400 days that entries are kept. */
const MAX_VERIFIED = 200_000;
const MAX_FINDINGS = 20;

type OfLog = { org?: string };
type Listing = OfLog & { limit: string };
type Verifying = OfLog & { expect?: string };

const ofLog = optional('--org <id>', 'organization ID (default: the whole stage)');

export const audit: Noun = {
  name: 'audit',
  summary: 'Who changed what',
  verbs: [
    verb<Listing>({
      usage: 'list',
      summary: 'Lists the changes of an organization, or operator actions on the whole stage, newest first',
      options: [ofLog, optional('--limit <n>', `entries, at most ${MAX_ENTRIES}`, String(ENTRIES))],
      act: list,
    }),
    verb<Verifying>({
      usage: 'verify',
      summary: 'Checks that no entry was changed or removed; exit code 1 if one was',
      options: [ofLog, optional('--expect <head>', 'the head that an earlier verification showed')],
      act: verify,
    }),
  ],
};

const logOf = async (cloud: Cloud, org: string | undefined): Promise<string> =>
  org === undefined ? STAGE : (await findOrg(cloud, org)).org_id;

async function list(cloud: Cloud, { org, limit: wanted }: Listing): Promise<Answer> {
  const limit = wholeNumber('--limit', wanted, { least: 1, most: MAX_ENTRIES });
  const orgId = await logOf(cloud, org);
  const { items } = await (orgId === STAGE ? cloud.audit.pageOfStage({ limit }) : cloud.audit.page(orgId, { limit }));
  const rows = items.map(({ at, actor, action, thing, after }) => [
    at,
    actorName(actor),
    arnOf(actor),
    action,
    thing.name,
    after && JSON.stringify(after),
  ]);
  return {
    json: {
      entries: items.map((item) => {
        const { actor, ...entry } = viewAuditEntry(item);
        const arn = arnOf(item.actor);
        return { ...entry, actor: { ...actor, ...(arn && { arn }) } };
      }),
    },
    people: table(['at', 'who', 'ARN', 'what', 'of', 'after'], rows, 'No changes yet.'),
  };
}

const arnOf = ({ arn }: Shown<Author>): string | undefined => (typeof arn === 'string' ? arn : undefined);

async function verify(cloud: Cloud, { org, expect }: Verifying): Promise<Answer> {
  const earlier = expect === undefined ? undefined : headIn(expect);
  const chain = await cloud.auditChains.of(await logOf(cloud, org), MAX_VERIFIED + 1);
  if (chain.entries.length > MAX_VERIFIED)
    throw new Refusal('too_many_entries', `The log has more than the ${MAX_VERIFIED} entries that this command reads.`);
  const { chained, unchained, findings } = verifyChain(chain, cloud.now(), earlier);
  const head = chain.before ? textOf(chain.before) : null;
  const facts = { chained, unchained, head };
  if (findings.length > 0) {
    const shown = findings.slice(0, MAX_FINDINGS);
    const more = findings.length - shown.length;
    const sentences = [...shown, ...(more > 0 ? [`${more} more findings are not shown.`] : [])].join('\n');
    throw new Refusal('audit_log_changed', sentences, { ...facts, findings: shown });
  }
  return {
    json: facts,
    people: paragraphs(
      `No entry was changed, and none is missing: ${chained} entries are chained.`,
      unchained > 0 ? `${unchained} older entries are not chained, so this command cannot verify them.` : undefined,
      head === null
        ? undefined
        : `Head: ${head}\nStore it elsewhere. With --expect, it also shows that no newer entry was removed.`,
    ),
  };
}

const textOf = ({ sequence, hash }: ChainHead): string => `${sequence}:${hash}`;

function headIn(text: string): Earlier {
  const [, sequence, hash] = /^(\d{1,9}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!sequence || !hash) throw invalid('--expect must be a head as audit verify shows it, such as 41:5f2c…');
  return { sequence: Number(sequence), hash };
}
