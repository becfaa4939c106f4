import * as z from 'zod/mini';
import { plainText } from '../../domain/text/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading } from './help-desk.ts';
import { idSchema, read } from './records.ts';

export type HelpDeskChoices = ReturnType<typeof helpDeskChoices>;

type Named = { id: string; name: string };

const MAX_NAME_CHARACTERS = 120;
/** The maximum of one page (Zoho Desk v1, "List departments", "List agents"). */
const MOST = '100';

const name = z.catch(z.nullish(z.string()), null);
const departmentList = z.object({ data: z.array(z.object({ id: idSchema, name })) });
const agentList = z.object({ data: z.array(z.object({ id: idSchema, firstName: name, lastName: name })) });

/** Lists the choices for a connection's help-desk settings. The access names the organization. */
export const helpDeskChoices = (api: HelpDeskApi) => ({
  /** Lists the enabled departments, one page of them. */
  async departments(access: HelpDeskAccess): Promise<HelpDeskReading<{ items: Named[] }>> {
    const request = { path: '/api/v1/departments', query: { isEnabled: 'true', limit: MOST } };
    const answer = await read(api, access, request, departmentList);
    if (answer.kind !== 'read') return answer;
    return { kind: 'found', items: (answer.value?.data ?? []).map((each) => named(each.id, each.name)) };
  },

  /** Lists the active agents, one page of them. */
  async agents(access: HelpDeskAccess): Promise<HelpDeskReading<{ items: Named[] }>> {
    const request = { path: '/api/v1/agents', query: { status: 'ACTIVE', limit: MOST } };
    const answer = await read(api, access, request, agentList);
    if (answer.kind !== 'read') return answer;
    return {
      kind: 'found',
      items: (answer.value?.data ?? []).map((each) => named(each.id, `${each.firstName ?? ''} ${each.lastName ?? ''}`)),
    };
  },
});

const named = (id: string, text: string | null | undefined): Named => ({
  id,
  name: plainText(text ?? '', MAX_NAME_CHARACTERS).trim() || id,
});
