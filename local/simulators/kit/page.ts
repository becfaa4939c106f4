import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;

const STYLE = raw(`
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1c2430}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #dde2ea}
th{width:14rem;font-weight:500;color:#566}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}
input,select,button{font:inherit;padding:.3rem .5rem;margin:.2rem .4rem .2rem 0}small{color:#566}
`);

/** Lays out pages for people. @param system the name of the simulated system. */
export const pageOf =
  (system: string) =>
  (title: string, body: Html | Html[] = []): Html =>
    html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style></head><body>
<h1>${title}</h1>
${body}
<p><small>A simulator of ${system}, on this machine only.</small></p>
</body></html>
`;

export type Option = { value: string; label: string };

export const options = (choices: Option[], chosen?: string | null): Html[] =>
  choices.map(({ value, label }) =>
    value === chosen
      ? html`<option value="${value}" selected>${label}</option>`
      : html`<option value="${value}">${label}</option>`,
  );

/** Draws a table of names and values; empty values are omitted. */
export function valueTable(values: Record<string, Html | Html[] | string | null | undefined>): Html {
  const rows = Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => html`<tr><th>${name}</th><td><pre>${value}</pre></td></tr>\n`);
  return html`<table>${rows}</table>`;
}
