import type { Demo } from './seed.ts';

/** Where the simulators have pages for people; none where another system is in their place. */
type Pages = { crmBUrl: string | undefined; helpDeskUrl: string | undefined };

/** What the terminal says once all is ready. @param url of the service. */
export const whatToTry = (url: string, demo: Demo, { crmBUrl, helpDeskUrl }: Pages) => `
The service runs at ${url} (nothing is kept when it stops; deploying anew takes seconds).

  A phone call:

    curl -s ${url}/v1/calls/outbound \\
      -H 'Authorization: Bearer ${demo.api_key}' -H 'Content-Type: application/json' \\
      -d '{"phone_number": "+919812345678", "assistant_id": "${demo.assistant_id}"}'

  What became of it (with the call_id from the answer), and its analysis once more:

    curl -s ${url}/v1/calls/CALL_ID -H 'Authorization: Bearer ${demo.api_key}'
    curl -s -X POST ${url}/v1/calls/CALL_ID/analyze -H 'Authorization: Bearer ${demo.api_key}'

  Something for the assistant to know, from its next call on:

    curl -s ${url}/v1/assistants/${demo.assistant_id}/knowledge-base \\
      -H 'Authorization: Bearer ${demo.api_key}' -F files=@README.md

  A lead of CRM-A that becomes a call, and what became of each lead:

    npm run simulate:crm-a -- new-lead --phone +919812345679 --first-name Meera
    npm run admin -- connection activity --connection ${demo.connections.crm_a.connection_id}

${crmBUrl ? leadsInTheBrowser(crmBUrl) : ''}${helpDeskUrl ? ticketsInTheBrowser(helpDeskUrl) : ''}  CRM-B connected anew, as a customer does it (open the URL that this prints):

    npm run admin -- connection authorize-url --connection ${demo.connections.crm_b.connection_id}

  The operator's side:

    npm run admin -- call list --org ${demo.org_id}      npm run admin -- --help

Ctrl-C stops everything. What happens from now on:
`;

const leadsInTheBrowser = (
  url: string,
) => `  CRM-B in the browser: create a lead (its owner as offered); after its call, the call log and the note are on its page:

    ${url}/leads

`;

const ticketsInTheBrowser = (
  url: string,
) => `  The help desk in the browser: the tickets of calls in which somebody wants something:

    ${url}/tickets

`;
