import { permanentKey } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud/cloud.ts';

/** Reads the key that makes pseudonyms and signs receipts. @throws SecretNotSet */
export const personKey = ({ secrets, named }: Cloud): Promise<string> =>
  permanentKey(secrets, named.secret('person-key'))();
