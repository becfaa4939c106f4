import type { Demo } from './model.ts';

/** The simulators' pages for people; undefined if another system replaces a simulator. */
type Pages = { crmBUrl: string | undefined; helpDeskUrl: string | undefined };

/** Returns the instructions that the terminal shows when everything is ready. @param url of the service */
export const whatToTry = (url: string, demo: Demo, { crmBUrl, helpDeskUrl }: Pages) => `
The service runs at ${url} (Ctrl-C ends it and deletes its data; a new start takes seconds).

  Dashboard: ${url}  ${demo.dashboard_user.email}  ${demo.dashboard_user.password}

  A phone call:

    curl -s ${url}/v1/calls/outbound \\
      -H 'Authorization: Bearer ${demo.api_key}' -H 'Content-Type: application/json' \\
      -d '{"phone_number": "+919812345678", "assistant_id": "${demo.assistant_id}"}'

  Its state (with the call_id of the answer), and a new analysis of it:

    curl -s ${url}/v1/calls/CALL_ID -H 'Authorization: Bearer ${demo.api_key}'
    curl -s -X POST ${url}/v1/calls/CALL_ID/analyze -H 'Authorization: Bearer ${demo.api_key}'

  A document for the assistant's knowledge base, used from its next call on:

    curl -s ${url}/v1/assistants/${demo.assistant_id}/knowledge-base \\
      -H 'Authorization: Bearer ${demo.api_key}' -F files=@README.md

  A lead of CRM-A that becomes a call, and the outcome of each lead:

    npm run simulate:crm-a -- new-lead --phone +919812345679 --first-name Meera
    npm run admin -- connection activity --connection ${demo.connections.crm_a.connection_id}

${crmBUrl ? leadsInTheBrowser(crmBUrl) : ''}${helpDeskUrl ? ticketsInTheBrowser(helpDeskUrl) : ''}  A new consent for CRM-B, as a customer gives it (open the URL that this prints):

    npm run admin -- connection authorize-url --connection ${demo.connections.crm_b.connection_id}

  Low credit, reported by e-mail within 15 minutes, or at once (the e-mails are shown below and stored in .local/mail):

    npm run admin -- org update --org ${demo.org_id} --credits 0.5
    npm run admin -- schedule run send-notices

  The operator's tools:

    npm run admin -- call list --org ${demo.org_id}      npm run admin -- --help

Ctrl-C stops everything. The events from now on:
`;

const leadsInTheBrowser = (
  url: string,
) => `  CRM-B in the browser: create a lead with the suggested owner. After its call, its page shows a call log and a note:

    ${url}/leads

`;

const ticketsInTheBrowser = (
  url: string,
) => `  The help desk in the browser, with the tickets of calls that need an action:

    ${url}/tickets

`;
