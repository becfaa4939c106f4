import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { requestAddresses } from '../domain/organizations/request-addresses.ts';
import type { RequestAddresses } from '../domain/organizations/requester.ts';

/** Reads the origin of a request. An event for `npm run invoke` may lack this part. */
export const addressesOf = ({ requestContext, headers }: Partial<APIGatewayProxyEventV2>): RequestAddresses =>
  requestAddresses(requestContext?.http?.sourceIp, headers?.['x-forwarded-for']);
