import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';

export const handler = restRoute(async () =>
  refuse({ error: 'not_found', message: 'There is no such route, or not with this method.' }),
);
