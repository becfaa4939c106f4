import { actorName } from '../../../shared/domain/organizations/audit-entry.ts';
import { viewAuditEntry } from '../../../shared/domain/organizations/member-view.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { findOrg } from '../cloud/records.ts';
import { table } from '../output.ts';
import { wholeNumber } from '../values.ts';
import { type Answer, type Noun, optional, verb } from '../verb.ts';

const ENTRIES = 50;
const MOST_ENTRIES = 1_000;

type Listing = { org?: string; limit: string };

export const audit: Noun = {
  name: 'audit',
  summary: 'Who changed what',
  verbs: [
    verb<Listing>({
      usage: 'list',
      summary: 'Lists the changes of an organization, or what operators did on the whole stage, newest first',
      options: [
        optional('--org <id>', 'organization ID (default: the whole stage)'),
        optional('--limit <n>', `entries, at most ${MOST_ENTRIES}`, String(ENTRIES)),
      ],
      act: list,
    }),
  ],
};

async function list(cloud: Cloud, { org, limit: wanted }: Listing): Promise<Answer> {
  const limit = wholeNumber('--limit', wanted, { least: 1, most: MOST_ENTRIES });
  const orgId = org === undefined ? undefined : (await findOrg(cloud, org)).org_id;
  const { items } = orgId ? await cloud.audit.page(orgId, { limit }) : await cloud.audit.pageOfStage({ limit });
  const rows = items.map(({ at, actor, action, thing, after }) => [
    at,
    actorName(actor),
    action,
    thing.name,
    after && JSON.stringify(after),
  ]);
  return {
    json: { entries: items.map(viewAuditEntry) },
    people: table(['at', 'who', 'what', 'of', 'after'], rows, 'No changes yet.'),
  };
}
