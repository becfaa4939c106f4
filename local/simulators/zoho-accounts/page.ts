import { pageOf } from '../kit/page.ts';

export const page = pageOf("the vendor's accounts server");
