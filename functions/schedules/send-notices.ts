import { SESv2Client } from '@aws-sdk/client-sesv2';
import * as z from 'zod/mini';
import { sesMailer } from '../../shared/integrations/mail/ses.ts';
import { sendNotices } from '../../shared/operations/notices/send-notices.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { noticeStore } from '../../shared/stores/notices/notices.ts';
import { memberStore } from '../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';

const config = readConfig({
  ORGANIZATIONS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  MEMBERS_TABLE: z.string(),
  NOTICES_TABLE: z.string(),
  MAIL_FROM: z.optional(z.string()),
  DASHBOARD_URL: z.url(),
});
const db = documentClient();
// Two attempts, so an e-mail may be sent twice if its answer is lost.
const mailer = config.MAIL_FROM && sesMailer(new SESv2Client(bounded({ maxAttempts: 2 })), config.MAIL_FROM);

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  sendNotices({
    organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
    connections: connectionStore(db, config.CONNECTIONS_TABLE),
    members: memberStore(db, config.MEMBERS_TABLE),
    notices: noticeStore(db, config.NOTICES_TABLE),
    mailer: mailer || undefined,
    dashboardUrl: config.DASHBOARD_URL.replace(/\/$/, ''),
    now,
    sleep,
    timeLeftMs,
    count,
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
