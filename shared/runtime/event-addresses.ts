import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { requestAddresses } from '../domain/organizations/request-addresses.ts';
import type { RequestAddresses } from '../domain/organizations/requester.ts';

/** Reads the addresses that a request came from. An event for `npm run invoke` may lack this part. */
export const addressesOf = ({ requestContext, headers }: Partial<APIGatewayProxyEventV2>): RequestAddresses =>
  requestAddresses(requestContext?.http?.sourceIp, headers?.['x-forwarded-for']);
