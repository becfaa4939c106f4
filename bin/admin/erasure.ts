import type { RecordRemoval } from '../../shared/domain/after-call/erasure/erased-record.ts';
import type { RemoteRecord } from '../../shared/domain/calls/retention/erased-call.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { removeCrmBRecord } from '../../shared/integrations/crm-b/removal.ts';
import { helpDeskApi } from '../../shared/integrations/help-desk/api.ts';
import { removeTicket } from '../../shared/integrations/help-desk/removal.ts';
import type { RemoveRecord } from '../../shared/operations/after-call/erasure/erase-records.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { fileErasures } from '../../shared/stores/calls/files/file-erasures.ts';
import type { Cloud } from './cloud/cloud.ts';
import { crmBVendor, helpDeskVendor, REQUEST_MS } from './vendor-access.ts';
import { voicePlatform } from './voice.ts';

/** Opens the resources for erasures besides the stores: the bucket with its versions, and the voice platform. */
export const erasureOf = async (cloud: Cloud) => ({
  ...cloud,
  fileErasures: fileErasures(cloud.s3(), await cloud.filesBucket()),
  voice: await voicePlatform(cloud),
  remover: (connection: Connection) => recordRemover(cloud, connection),
  sleep,
  // No metrics: they are log lines, which would mix with the output.
  count: () => undefined,
});

/** Opens a connection's access to remove records of erased calls. */
async function recordRemover(cloud: Cloud, connection: Connection): Promise<RemoveRecord> {
  if (connection.type === 'crm-b') {
    const access = (await crmBVendor(cloud, 'crm-b')).accessTo(connection);
    const api = crmBApi({ timeoutMs: REQUEST_MS });
    return ({ record, id }: RemoteRecord): Promise<RecordRemoval> =>
      removeCrmBRecord(api, access, record === 'note' ? 'Notes' : 'Calls', id);
  }
  const access = (await helpDeskVendor(cloud)).accessTo(connection);
  const api = helpDeskApi({ timeoutMs: REQUEST_MS });
  return ({ id, organization }: RemoteRecord): Promise<RecordRemoval> =>
    removeTicket(
      api,
      // The settings may have another organization since the ticket was opened.
      { host: access.host, orgId: organization ?? access.orgId, token: access.token },
      id,
    );
}
