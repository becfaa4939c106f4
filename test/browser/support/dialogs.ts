import type { Page } from 'playwright-core';
import type { Things } from './pages.ts';

/** Dialogs that open over a page after a press. */
export type DialogScene = {
  name: string;
  /** The path of the router's page. */
  path: string;
  /** Default: the path. */
  address?: string | undefined;
  open: (page: Page) => Promise<void>;
  /** Escape does not close the dialog, because it shows a value only once. This is the last scene of its address. */
  stays?: true;
};

/** The items of the dialogs, besides those of the pages. */
export type DialogThings = Things & {
  liveCall?: string | undefined;
  /** An assistant that no connection names. */
  spareAssistant?: string | undefined;
};

const click = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name }).first().click();

/** Presses buttons of the page, and then of the dialog that they open. */
const press = (name: string | RegExp, ...next: (string | RegExp)[]) =>
  opens(async (page) => {
    await click(page, name);
    for (const one of next) await inDialog(page, one);
  });

const choose = (menu: string | RegExp, item: string | RegExp, ...next: (string | RegExp)[]) =>
  opens(async (page) => {
    await click(page, menu);
    await page.getByRole('menuitem', { name: item }).click();
    for (const one of next) await inDialog(page, one);
  });

const inDialog = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name }).first().click();

const opens = (act: (page: Page) => Promise<void>) => async (page: Page) => {
  await act(page);
  await page.getByRole('dialog').first().waitFor();
};

const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

/** Every dialog that an owner with a colleague Rahul can open; dialogs of one address in sequence. */
export function dialogsOf({
  call,
  assistant,
  connections = [],
  liveCall,
  spareAssistant,
}: DialogThings): DialogScene[] {
  const [crmA, crmB] = connections;
  const ofCall = { path: '/calls/$id', address: `/calls/${call}` };
  const ofAssistant = { path: '/assistants/$id', address: `/assistants/${assistant}` };
  const ofCrmA = { path: '/connections/$id', address: `/connections/${crmA}` };
  const ofCrmB = { path: '/connections/$id', address: `/connections/${crmB}` };
  const numbers = { path: '/do-not-call' };
  const secret = { path: '/developers/callbacks' };
  const keys = { path: '/developers/keys' };
  const people = { path: '/settings/members' };
  return [
    { path: '/', name: 'shortcuts', open: opens((page) => page.keyboard.press('?')) },
    { ...ofCall, name: 'never-call', open: choose('More', 'Never call this number') },
    { path: '/calls/$id', address: `/calls/${liveCall}`, name: 'stop', open: press('Stop the call') },
    { path: '/leads', name: 'retry', open: press(/^Retry \d/) },
    { path: '/assistants', name: 'create', open: press('New assistant') },
    {
      path: '/assistants/$id',
      address: `/assistants/${spareAssistant}`,
      name: 'delete',
      open: press(/^Delete/),
    },
    {
      ...ofAssistant,
      name: 'read',
      open: async (page) => {
        await openKnowledge(page, /^Read /);
        await page.getByRole('dialog').locator('[aria-busy="true"]').waitFor({ state: 'detached' });
      },
    },
    { ...ofAssistant, name: 'remove', open: opens((page) => openKnowledge(page, /^Remove /)) },
    { ...ofCrmB, name: 'consent', open: choose(/^More for/, /^New consent/) },
    { ...ofCrmB, name: 'channel', open: choose(/^More for/, /^New watch channel/) },
    { ...ofCrmA, name: 'disconnect', open: choose(/^More for/, /^Disconnect/) },
    { ...ofCrmA, name: 'new-token', open: choose(/^More for/, /^New token/) },
    {
      ...ofCrmA,
      name: 'token',
      stays: true,
      open: async (page) => {
        await choose(/^More for/, /^New token/, 'Create the token')(page);
        await page.getByText('Paste the new token').waitFor();
      },
    },
    { path: '/credit', name: 'threshold', open: press(/^Change/) },
    { ...numbers, name: 'add', open: press('Add a number') },
    { ...numbers, name: 'remove', open: press(/^Remove/) },
    { ...numbers, name: 'import', open: press('Import a file') },
    {
      ...numbers,
      name: 'bad-lines',
      open: async (page) => {
        await click(page, 'Import a file');
        const table = file('numbers.csv', 'phone,name\n+919820000001,Meera\nnone,Asha\n');
        await page.getByRole('dialog').getByLabel('File').setInputFiles(table);
        await page.getByText(/without a phone number/).waitFor();
      },
    },
    { ...keys, name: 'revoke', open: press(/^Revoke/) },
    { ...keys, name: 'create', open: press('Create a key') },
    {
      ...keys,
      name: 'key',
      stays: true,
      open: async (page) => {
        await click(page, 'Create a key');
        await page.getByLabel('Name', { exact: true }).fill('backend');
        await inDialog(page, 'Create the key');
        await page.getByText('Store the key now').waitFor();
        await page.keyboard.press('Escape');
        await page.getByText(/^It will not be shown again/).waitFor();
      },
    },
    { ...secret, name: 'replace', open: press(/^Replace/) },
    { ...secret, name: 'reveal', open: press(/^Reveal/) },
    { ...people, name: 'invite', open: press('Invite a person') },
    { ...people, name: 'again', open: choose(/^Actions for Rahul/, /^Send the invitation/) },
    { ...people, name: 'role', open: choose(/^Actions for Rahul/, /^Change role/) },
    { ...people, name: 'remove', open: choose(/^Actions for Rahul/, /^Remove/) },
    { path: '/account', name: 'sign-out-everywhere', open: press(/^Sign out everywhere/) },
  ];
}

async function openKnowledge(page: Page, action: RegExp): Promise<void> {
  await page.getByRole('tab', { name: /^Knowledge/ }).click();
  await click(page, action);
}
