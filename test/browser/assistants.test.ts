import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { voice } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { chooseFiles, press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const lateEdit = { status: 409, path: /\/assistants\/asst_\w+$/ };
const badFile = { status: 400, path: /\/knowledge-base$/ };

describeInBrowser('a member', () => {
  it('creates an assistant, edits it in two tabs, uploads a file to it, and places a call with it', async () => {
    const org = await anOrg();
    await stores.transact({
      assistant: stores.assistants.removing((await stores.assistants.get(org.assistantId)) as never),
    });
    const person = await aMember(org, 'member');
    const phone = aPhoneNumber();
    const { page, context } = await aVisitor([noSession, lateEdit, badFile]);

    await page.goto('/assistants');
    await signIn(page, person);
    await page.getByText('An assistant is a script and a voice').waitFor();
    await press(page.getByRole('button', { name: 'Start with this: Asks how it went' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Tara');
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Create the assistant' }));
    await heading(page, 'Tara').waitFor();

    const message = page.getByLabel('First message');
    const preview = page.getByRole('region', { name: 'Preview' });
    await message.fill('Namaste {{name|there}}, this is Tara.');
    await preview.getByText('“Namaste Meera, this is Tara.”').waitFor();
    await preview.getByLabel('Preview with').selectOption('metadata');
    await preview.getByText('“Namaste Fatima, this is Tara.”').waitFor();
    const other = await context.newPage();
    await other.goto(new URL(page.url()).pathname);
    await heading(other, 'Tara').waitFor();
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('Tara is saved.').first().waitFor();
    await other.getByLabel('First message').fill('Mine.');
    await press(other.getByRole('button', { name: 'Save', exact: true }));
    const notice = other.getByText(`${person.email} saved this assistant`);
    await notice.waitFor();
    // The pressed button is far below the heading.
    expect((await notice.boundingBox())?.y).toBeGreaterThan(0);
    await other.getByText('Namaste {{name|there}}, this is Tara.').waitFor();
    expect(await findingsOn(other)).toEqual([]);
    await press(other.getByRole('button', { name: 'Overwrite with mine' }));
    await other.getByText('Tara is saved.').first().waitFor();
    await other.close();

    await page.reload();
    await preview.getByText('“Mine.”').waitFor();
    await press(page.getByRole('tab', { name: 'Knowledge' }));
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await chooseFiles(page.getByLabel('Add files'), [
      file('broken.pdf', 'x'),
      file('prices.txt', 'Parking costs 2,000.'),
    ]);
    await page.getByText('broken.pdf was not added.').waitFor();
    await press(page.getByRole('button', { name: 'Read prices.txt' }));
    await dialog.getByText('Parking costs 2,000.').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Close' }).first());
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: /Remove prices\.txt/ }));
    await dialog.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Remove the file' }));
    await page.getByText('The assistant knows only its prompt').waitFor();

    await press(page.getByRole('tab', { name: 'Analysis' }));
    await press(page.getByRole('button', { name: 'Add a field' }));
    const field = page.getByRole('group', { name: /^Field \d+$/ }).last();
    await field.getByLabel('Name').fill('area');
    await field.getByLabel('Type').selectOption('One of several');
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await field.and(page.locator(':focus')).waitFor();
    await field.getByText('Enter the choices, or choose another type.').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await field.getByLabel('Choices, separated by commas').fill('Kharadi, Baner');
    await field.getByText('Enter the choices').waitFor({ state: 'detached' });
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('Tara is saved.').first().waitFor();
    const [{ analysis_schema } = {}] = await stores.assistants.listOfOrg(org.orgId);
    expect(analysis_schema).toMatchObject({ properties: { area: { type: 'string', enum: ['Kharadi', 'Baner'] } } });

    await page.getByLabel('Your phone number').fill(phone);
    await press(page.getByRole('button', { name: 'Use this number' }));
    await press(page.getByRole('button', { name: 'Call now' }));
    await page.getByText('Completed').waitFor();
    const dialed = await voice.calls(phone);
    expect(dialed.map(({ request }) => request)).toMatchObject([{ assistant: { firstMessage: 'Mine.' } }]);
    await press(page.getByRole('link', { name: 'Open the call' }));
    await heading(page, /^Call to/).waitFor();
    await page.getByText('Test call').waitFor();
  });
});
