import * as z from 'zod/mini';
import { plainText } from '../../domain/text/plain-text.ts';
import type { CrmBAccess, CrmBApi, CrmBRequest } from './api.ts';
import { type CrmBReading, readFrom } from './read.ts';

export type CrmBChoices = ReturnType<typeof crmBChoices>;

type Found<Item> = { kind: 'found'; items: Item[] } | Exclude<CrmBReading, { kind: 'answered' }>;

export type User = { id: string; name: string };
/** `values`: the values of a picklist; null for every other field. */
export type LeadField = { name: string; label: string; values: string[] | null };

const MAX_NAME_CHARACTERS = 120;
/** The maximum of one page (Zoho CRM v8, "Get users"). */
const MAX_USERS = 200;
const MAX_VALUES = 200;

const userList = z.object({
  users: z.array(
    z.object({ id: z.string().check(z.regex(/^\d{1,19}$/)), full_name: z.catch(z.nullish(z.string()), null) }),
  ),
});
const fieldList = z.object({
  fields: z.array(
    z.object({
      api_name: z.string(),
      field_label: z.catch(z.nullish(z.string()), null),
      data_type: z.string(),
      pick_list_values: z.catch(z.nullish(z.array(z.object({ actual_value: z.string() }))), null),
    }),
  ),
});

/** Lists the choices for a connection's CRM-B settings. */
export const crmBChoices = (api: CrmBApi) => ({
  /** Lists the active users, one page of them (Zoho CRM v8, "Get users"). */
  async users(access: CrmBAccess): Promise<Found<User>> {
    const query = { type: 'ActiveUsers', per_page: String(MAX_USERS) };
    const answer = await listed(api, access, { method: 'GET', path: '/crm/v8/users', query }, userList);
    if (answer.kind !== 'read') return answer;
    const users = answer.value?.users ?? [];
    return {
      kind: 'found',
      items: users.map(({ id, full_name }) => ({ id, name: plainText(full_name ?? '', MAX_NAME_CHARACTERS) || id })),
    };
  },

  /** Lists the fields of leads (Zoho CRM v8, "Fields Metadata"). */
  async leadFields(access: CrmBAccess): Promise<Found<LeadField>> {
    const query = { module: 'Leads' };
    const answer = await listed(api, access, { method: 'GET', path: '/crm/v8/settings/fields', query }, fieldList);
    if (answer.kind !== 'read') return answer;
    return { kind: 'found', items: (answer.value?.fields ?? []).map(viewField) };
  },
});

const viewField = ({
  api_name,
  field_label,
  data_type,
  pick_list_values,
}: z.infer<typeof fieldList>['fields'][number]) => ({
  name: api_name,
  label: plainText(field_label ?? '', MAX_NAME_CHARACTERS) || api_name,
  values:
    data_type === 'picklist'
      ? (pick_list_values ?? []).slice(0, MAX_VALUES).map(({ actual_value }) => actual_value)
      : null,
});

type Listed<Value> = { kind: 'read'; value: Value | undefined } | Exclude<CrmBReading, { kind: 'answered' }>;

async function listed<Schema extends z.ZodMiniType>(
  api: CrmBApi,
  access: CrmBAccess,
  request: CrmBRequest,
  schema: Schema,
): Promise<Listed<z.infer<Schema>>> {
  const reading = await readFrom(api, access, request);
  if (reading.kind !== 'answered') return reading;
  if (reading.body === undefined) return { kind: 'read', value: undefined };
  const body = z.safeParse(schema, reading.body);
  return body.success
    ? { kind: 'read', value: body.data }
    : { kind: 'unavailable', reason: 'the answer cannot be read' };
}
