import * as z from 'zod/mini';
import { dataCenters } from './data-center.ts';

const text = z.string().check(z.trim(), z.minLength(1));

/** The credentials of the application that is registered at a data center. */
export const oauthClient = z.strictObject({ client_id: text, client_secret: text });
export type OauthClient = z.infer<typeof oauthClient>;

/**
 * The content of the secrets `crm-b-oauth` and `help-desk-oauth`. A data center without a client cannot be connected.
 */
export const oauthClients = z.partialRecord(z.enum(dataCenters), z.object(oauthClient.def.shape));
export type OauthClients = z.infer<typeof oauthClients>;
