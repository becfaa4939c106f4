/** What the codes of the OAuth callback mean; the others are shown as they are. */
const errors: Readonly<Record<string, string>> = {
  access_denied: 'The consent was denied.',
  invalid_code: 'The consent could not be used: it was too old, or used already. Begin anew.',
  missing_refresh_token: 'The provider gave no lasting access. Begin anew.',
  client_not_set: 'No OAuth client is set for this data center: admin secret set.',
  unexpected_accounts_server: 'The provider answered from a server that is not on the list.',
  unexpected_api_domain: 'The provider named an API that is not on the list.',
};

const CONNECTION_ID = /^conn_[0-9a-f]{24}$/;

/**
 * What people see where the dashboard will be: how the consent that they come back from has ended.
 * @param query of the address. @returns an HTML page.
 */
export function landingPage(query: URLSearchParams): string {
  const [connected, error] = [query.get('connected') ?? '', query.get('error')];
  if (error !== null) return page('Not connected', errors[error] ?? `The provider's answer: ${error}`);
  // Anybody can make up an address: nothing else may stand in a command that people copy.
  if (!CONNECTION_ID.test(connected))
    return page('The calling service', 'It runs on this machine. The terminal where it was started tells what to try.');
  return page(`Connected: ${connected}`, whatIsLeft(query, connected));
}

function whatIsLeft(query: URLSearchParams, connected: string): string {
  if (query.get('channel') === 'failed')
    return 'Its watch channel could not be set up yet; that is tried again every 15 minutes.';
  const show = `npm run admin -- connection show --connection ${connected}`;
  return query.get('organization') === 'not_chosen'
    ? `The organization of the help desk is still to be chosen. Which, and how: ${show}`
    : `How it does: ${show}`;
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}</style>
</head><body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body></html>
`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
