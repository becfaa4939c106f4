import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { namingFunctions } from '../named-ids.ts';
import type { Names } from '../names.ts';

/**
 * The query. An operator replaces CALL_ID with the id of the call or the connection, and REQUEST_ID with the call's
 * request_id.
 */
const QUERY = [
  'fields @timestamp, service, level, message, outcome, status, route, @message',
  'filter @message like "CALL_ID" or @message like "REQUEST_ID"',
  'sort @timestamp asc',
  'limit 10000',
].join('\n| ');

/**
 * The saved query that follows one call through the logs (docs/tracing.md, "Follow one call"). A query reads 50 logs at
 * most (CloudWatch Logs API, "StartQuery").
 */
export class FollowCall extends Construct {
  constructor(scope: Construct, id: string, { named }: { named: Names }) {
    super(scope, id);
    new CfnQueryDefinition(this, 'query', {
      name: named.stack('follow-one-call'),
      logGroupNames: [...namingFunctions.map(named.functionLog), named.accessLog],
      queryString: QUERY,
    });
  }
}
