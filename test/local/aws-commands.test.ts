import { text } from 'node:stream/consumers';
import { runAws } from '../aws-cli/aws-cli.ts';
import { filesBelow, read } from '../infra/support/sources.ts';
import { wordsOf } from '../support/admin/documented-commands.ts';
import { closeServers, serve } from '../support/loopback.ts';

afterEach(closeServers);

/** The `aws` commands of a document, in blocks and in sentences. */
function documented(page: string): string[] {
  const content = read(page).replaceAll('\\\n', ' ');
  const inBlocks = [...content.matchAll(/^ *(aws [a-z0-9-]+ [a-z].*)$/gm)].map(([, command = '']) => command);
  const inSentences = [...content.matchAll(/`(aws [a-z0-9-]+ [a-z][^`]*)`/g)].map(([, command = '']) => command);
  return [...inBlocks, ...inSentences].map((command) => command.replace(/\s+/g, ' ').trim());
}

/** Puts values in place of the variables of a template. */
const filled = (template: string): string =>
  template
    .replaceAll(/(?<=--region )\$\{[^}]*\}/g, 'us-east-1')
    .replaceAll(/(?<=-arn )\$\{[^}]*\}/g, 'arn:aws:acm:us-east-1:1:certificate/1')
    .replaceAll(/\$\{[^}]*\}/g, '1');

/** The `aws` commands by which `doctor` fixes a stage. */
const proposed = filesBelow('bin/admin/commands/doctor', '.ts').flatMap((file) =>
  [...read(file).matchAll(/\baws\(\s*(['`])((?:(?!\1)[\s\S])+)\1|`aws ([^`]+)`/g)]
    .map(([, , ofHelper = '', whole = ofHelper]) => `aws ${filled(whole)}`)
    .filter((command) => /^aws [a-z0-9-]+ [a-z]/.test(command)),
);

const ofDocuments = filesBelow('docs', '.md').flatMap(documented);
const commands = [...new Set([...ofDocuments, ...proposed])].sort();

describe('the commands of the AWS CLI', () => {
  it('that the documents and doctor name have valid flags and values, and each sends its request', async () => {
    expect([ofDocuments.length, proposed.length].every((count) => count >= 7)).toBe(true);
    let requests = 0;
    const { url } = await serve((request, response) => {
      requests += 1;
      void text(request).then((body) => {
        // The older APIs, whose requests name an action, answer XML, the others JSON.
        const action = new URLSearchParams(body).get('Action');
        response.end(action ? `<${action}Response><${action}Result></${action}Result></${action}Response>` : '{}');
      });
    });
    const unknownFlag = 'aws kms enable-key --key-id KEY_ID --of x';
    const ends = await runAws(
      [...commands, unknownFlag].map((command) => wordsOf(command).slice(1)),
      url,
    );
    if (!ends) return;
    const failed = ends.flatMap(({ code, output }, at) => (code === 0 ? [] : [`${commands[at]}: ${output}`]));
    // The last one proves that this test can fail.
    expect(failed).toEqual([expect.stringMatching(/^undefined: .*Unknown options: --of/s)]);
    expect(requests).toBe(commands.length);
  });
});
