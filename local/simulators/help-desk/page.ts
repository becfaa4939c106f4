import { pageOf } from '../page.ts';

export const page = pageOf('the help desk');
