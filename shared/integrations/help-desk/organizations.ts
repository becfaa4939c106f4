import * as z from 'zod/mini';
import { plainText } from '../../domain/text/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskOrganization, HelpDeskReading } from './help-desk.ts';
import { idSchema, read } from './records.ts';

export type HelpDeskOrganizations = ReturnType<typeof helpDeskOrganizations>;

const MAX_NAME_CHARACTERS = 200;
const list = z.object({
  data: z.array(z.object({ id: idSchema, companyName: z.catch(z.nullish(z.string()), undefined) })),
});

/** Reads the organizations (portals) of the help desk. */
export const helpDeskOrganizations = (api: HelpDeskApi) => ({
  /**
   * Lists the organizations that the token may use (GET /api/v1/accessibleOrganizations); if the help desk refuses
   * that, lists the organizations of the token's user (GET /api/v1/organizations).
   * @param access needs no organization. @returns `absent` if there are none.
   */
  async list(access: HelpDeskAccess): Promise<HelpDeskReading<{ organizations: HelpDeskOrganization[] }>> {
    const send = (path: string) => read(api, access, { path, isWithoutOrg: true }, list);
    const accessible = await send('/api/v1/accessibleOrganizations');
    const answer = accessible.kind === 'refused' ? await send('/api/v1/organizations') : accessible;
    if (answer.kind !== 'read') return answer;
    const organizations = (answer.value?.data ?? []).map(({ id, companyName }) => ({
      id,
      name: plainText(companyName ?? '', MAX_NAME_CHARACTERS),
    }));
    return organizations.length ? { kind: 'found', organizations } : { kind: 'absent' };
  },
});
