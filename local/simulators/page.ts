/** Text for the place of text or of an attribute's value in HTML. */
export function escapeHtml(value: unknown): string {
  return String(value ?? '').replace(
    /[&<>"']/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? character,
  );
}

/** Makes pages for people. @param plays what the simulator plays. @returns a page of a title and a body of HTML. */
export const pageOf = (plays: string) => (title: string, body: string) =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1c2430}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #dde2ea}
th{width:14rem;font-weight:500;color:#566}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}
input,select,button{font:inherit;padding:.3rem .5rem;margin:.2rem .4rem .2rem 0}small{color:#566}
</style></head><body>
<h1>${escapeHtml(title)}</h1>
${body}
<p><small>A simulator of ${escapeHtml(plays)}, on this machine only.</small></p>
</body></html>
`;
