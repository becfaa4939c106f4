import type { Option } from 'commander';
import {
  type DataCenter,
  DEFAULT_DATA_CENTER,
  dataCenters,
} from '../../shared/domain/connections/access/data-center.ts';
import { oneOf } from './values.ts';
import { optional } from './verb.ts';

export type DataCenterFlags = { dataCenter?: string };

/** @param scope says what the data center applies to */
export const dataCenterOption = (scope: string): Option =>
  optional('--data-center <name>', `${scope}: ${dataCenters.join(', ')} (default: ${DEFAULT_DATA_CENTER})`);

export const readDataCenter = ({ dataCenter = DEFAULT_DATA_CENTER }: DataCenterFlags): DataCenter =>
  oneOf('--data-center', dataCenter, dataCenters);
