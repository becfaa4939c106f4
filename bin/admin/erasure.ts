import type { Connection } from '../../shared/domain/connections/connection.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { fileErasures } from '../../shared/stores/calls/files/file-erasures.ts';
import type { Cloud } from './cloud/cloud.ts';
import { recordRemover } from './record-remover.ts';
import { voicePlatform } from './voice.ts';

/** Opens the resources for erasures besides the stores: the bucket with its versions, and the voice platform. */
export const erasureOf = async (cloud: Cloud) => ({
  ...cloud,
  fileErasures: fileErasures(cloud.s3(), await cloud.filesBucket()),
  voice: await voicePlatform(cloud),
  remover: (connection: Connection) => recordRemover(cloud, connection),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  newToken,
  // No metrics: they are log lines, which would mix with the output.
  count: () => undefined,
  warn: () => undefined,
});
