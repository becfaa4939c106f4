import { html } from 'hono/html';

/** Messages for the codes of the OAuth callback. Other codes are shown as they are. */
const errors: Readonly<Record<string, string>> = {
  access_denied: 'The consent was denied.',
  invalid_code: 'The consent was too old, or already used. Please start again.',
  missing_refresh_token: 'The provider gave no lasting access. Please start again.',
  client_not_set: 'No OAuth client is set for this data center: admin secret set.',
  unexpected_accounts_server: 'The provider answered from a server that is not on the list.',
  unexpected_api_domain: 'The provider named an API that is not on the list.',
};

const CONNECTION_ID = /^conn_[0-9a-f]{24}$/;

/**
 * Makes the page that a person reaches after a consent, in place of the dashboard.
 * @param query of the address.
 */
export function landingPage(query: URLSearchParams): string {
  const [connected, error] = [query.get('connected') ?? '', query.get('error')];
  if (error !== null) return page('Not connected', errors[error] ?? `The provider's answer: ${error}`);
  // Anyone can invent an address, so only a valid id may appear in a command that people copy.
  if (!CONNECTION_ID.test(connected))
    return page('The calling service', 'It runs on this machine. Its terminal shows what to try.');
  return page(`Connected: ${connected}`, nextStep(query, connected));
}

function nextStep(query: URLSearchParams, connected: string): string {
  if (query.get('channel') === 'failed')
    return 'Its watch channel could not be set up yet. The service retries every 15 minutes.';
  const show = `npm run admin -- connection show --connection ${connected}`;
  return query.get('organization') === 'not_chosen'
    ? `The organization of the help desk is still to be chosen. This command shows how: ${show}`
    : `Show its state: ${show}`;
}

const page = (title: string, text: string): string =>
  String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}</style>
</head><body><h1>${title}</h1><p>${text}</p></body></html>
`);
