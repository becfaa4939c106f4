import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clock } from '../runtime/clock.ts';
import { logger } from '../runtime/logger.ts';
import { count } from '../runtime/metrics.ts';
import { admittedOrganization, presentedKey } from '../stores/organizations/admission.ts';
import { keyCounterStore } from '../stores/organizations/key-counters.ts';

type Config = Record<'API_KEYS_TABLE' | 'ORGANIZATIONS_TABLE' | 'RATE_LIMITS_TABLE', string>;

/** Composes the dependencies that admit a request with an API key. */
export const wireKeyAdmission = (config: Config, db: DynamoDBDocumentClient) => ({
  apiKeys: { get: presentedKey(db, config.API_KEYS_TABLE) },
  organizations: { get: admittedOrganization(db, config.ORGANIZATIONS_TABLE) },
  keyCounters: keyCounterStore(db, config.RATE_LIMITS_TABLE),
  now: clock,
  count,
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
});
