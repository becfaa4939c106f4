import { html } from 'hono/html';
import { type Html, options } from '../../kit/page.ts';
import { page } from '../page.ts';
import type { AccountsState } from '../state.ts';
import type { ConsentRequest } from './consents.ts';

/** Draws the page that asks a person for the consent. Its form sends the parameters of the request again. */
export function consentPage(state: AccountsState, params: Record<string, string>, request: ConsentRequest): Html {
  const repeated = Object.entries(params).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const users = [...state.users.values()].map(({ id, name, org }) => ({ value: id, label: `${name} (${org})` }));
  return page(
    'Allow access?',
    html`<p><b>${request.clientId}</b> would like to</p>
<ul>${request.scopes.map((scope) => html`<li>${scope}</li>`)}</ul>
<form method="post" action="/oauth/v2/auth">${repeated}
<p><label>as <select name="user">${options(users)}</select></label></p>
<button name="decision" value="accept">Accept</button><button name="decision" value="reject">Reject</button>
</form>`,
  );
}
