import { connectionOption, type Noun, type OfConnection, type OfOrg, orgOption, verb } from '../../verb.ts';
import { activityVerbs } from './activity.ts';
import { authorizeVerb } from './authorize.ts';
import { confirmVerb, refuseVerb } from './consent.ts';
import { createVerb } from './create.ts';
import { disconnectVerb } from './disconnect.ts';
import { rotateTokenVerb } from './token.ts';
import { updateVerb } from './update.ts';
import { listConnections, showConnection } from './view.ts';

export const connection: Noun = {
  name: 'connection',
  summary: 'Connections to CRMs and help desks',
  verbs: [
    createVerb,
    updateVerb,
    verb<OfConnection>({
      usage: 'show',
      summary: 'Shows a connection and its health',
      options: [connectionOption],
      act: (cloud, flags) => showConnection(cloud, flags.connection),
    }),
    verb<OfOrg>({
      usage: 'list',
      summary: 'Lists the connections of an organization',
      options: [orgOption],
      act: listConnections,
    }),
    rotateTokenVerb,
    authorizeVerb,
    confirmVerb,
    refuseVerb,
    disconnectVerb,
    ...activityVerbs,
  ],
};
