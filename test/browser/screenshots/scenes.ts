import type { Page } from 'playwright-core';
import { type DialogScene, dialogsOf } from '../support/dialogs.ts';
import type { ShownOrg } from './shown-orgs.ts';

export type Scene = Omit<DialogScene, 'stays'>;

const shown = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

/** Dialogs, menus, answers and filters, which appear only after a press. */
export const scenesOf = (org: ShownOrg): Scene[] => [...othersOf(org), ...dialogsOf({ ...org.things, ...org })];

function othersOf({ things, liveCall }: ShownOrg): Scene[] {
  const { call = '', assistant = '', connections = [] } = things;
  const aCall = `/calls/${call}`;
  const [crmA = '', crmB = ''] = connections;
  return [
    { name: 'bell', path: '/', open: (page) => page.getByRole('button', { name: /needs? you/ }).click() },
    { name: 'account-menu', path: '/', open: (page) => page.getByRole('button', { name: /account of/ }).click() },
    {
      name: 'palette',
      path: '/',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox').fill('98200');
      },
    },
    {
      name: 'chart-as-table',
      path: '/',
      address: '/?days=30',
      open: (page) =>
        page
          .getByRole('group', { name: /Calls by outcome: show as/ })
          .getByText('Table')
          .click(),
    },
    { name: 'nothing-matches', path: '/calls', address: '/calls?source=dashboard', open: shown('No call matches') },
    {
      name: 'live',
      path: '/calls',
      address: '/calls?phase=live',
      open: (page) => page.locator('tbody tr').first().waitFor(),
    },
    { name: 'live-call', path: '/calls/$id', address: `/calls/${liveCall}`, open: shown('Stop the call') },
    {
      name: 'more',
      path: '/calls/$id',
      address: aCall,
      open: (page) => page.getByRole('button', { name: 'More' }).click(),
    },
    { name: 'unknown', path: '/calls/$id', address: '/calls/call_none', open: shown('No such call') },
    {
      name: 'asked-nothing',
      path: '/leads',
      address: '/leads?ask=%2B919999900000',
      open: shown(/^No event about the number/),
    },
    { name: 'asked', path: '/leads', address: '/leads?ask=e846bb34-00000012', open: shown('If it arrived now') },
    ...['Voice & limits', 'Knowledge 2', 'Analysis'].map((name) => ({
      name: name.split(' ')[0]?.toLowerCase() ?? name,
      path: '/assistants/$id',
      address: `/assistants/${assistant}`,
      open: (page: Page) => page.getByRole('tab', { name }).click(),
    })),
    {
      name: 'consent-denied',
      path: '/connections/$id',
      address: `/connections/${crmB}?error=access_denied`,
      open: shown(/consent/i),
    },
    {
      name: 'manage',
      path: '/connections/$id',
      address: `/connections/${crmA}`,
      open: (page) =>
        page
          .getByRole('main')
          .getByRole('button', { name: /More|Manage/ })
          .first()
          .click(),
    },
  ];
}
