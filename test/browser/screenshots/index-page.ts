const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Writes the page that shows all pictures by page and state. @param files paths below the folder, sorted. */
export function indexPage(files: readonly string[]): string {
  const byPage = Map.groupBy(files, (file) => file.split('/')[0] ?? '');
  const sections = [...byPage].map(([name, ofPage]) => {
    const byState = Map.groupBy(ofPage, (file) => file.split('/')[1]?.replace(/-\d+-(light|dark)\.png$/, '') ?? '');
    const rows = [...byState].map(([state, ofState]) => {
      const figures = ofState.map((file) => {
        const [, size = ''] = /-(\d+-(?:light|dark))\.png$/.exec(file) ?? [];
        const link = escaped(file);
        return `<a href="${link}"><img src="${link}" alt="${escaped(state)}" loading="lazy">${escaped(size)}</a>`;
      });
      return `<h3>${escaped(state)}</h3><div>${figures.join('')}</div>`;
    });
    return `<h2 id="${escaped(name)}">${escaped(name)}</h2>${rows.join('')}`;
  });
  const links = [...byPage.keys()].map((name) => `<a href="#${escaped(name)}">${escaped(name)}</a>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page of the dashboard</title>
<style>
body { font: 14px system-ui; margin: 24px; background: #e9eaee; }
nav a { margin-right: 12px; }
div { display: flex; flex-wrap: wrap; gap: 12px; align-items: start; }
div a { display: grid; gap: 4px; color: inherit; }
img { width: 260px; max-height: 420px; object-fit: cover; object-position: top; border: 1px solid #aaa; background: #fff; }
</style>
<h1>Every page of the dashboard</h1><nav>${links.join('')}</nav>${sections.join('\n')}</html>
`;
}
