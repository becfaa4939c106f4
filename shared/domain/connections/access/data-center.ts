/** The vendor's data centers that the service supports (docs/crm-b.md, "Data centers"). */
export const dataCenters = ['in', 'com', 'eu', 'com.au', 'jp', 'ca', 'sa'] as const;
export type DataCenter = (typeof dataCenters)[number];

export const DEFAULT_DATA_CENTER: DataCenter = 'in';

export type DataCenterHosts = { accountsServer: string; apiDomain: string; helpDesk: string };

/**
 * The real hosts (Zoho Accounts, "Multi DC"; Zoho CRM v8, "Multi DC"; Zoho Desk v1, "Root endpoint"). Canada's accounts
 * server and help desk are under another domain than its API.
 */
export const dataCenterHosts: Record<DataCenter, DataCenterHosts> = {
  in: {
    accountsServer: 'https://accounts.zoho.in',
    apiDomain: 'https://www.zohoapis.in',
    helpDesk: 'https://desk.zoho.in',
  },
  com: {
    accountsServer: 'https://accounts.zoho.com',
    apiDomain: 'https://www.zohoapis.com',
    helpDesk: 'https://desk.zoho.com',
  },
  eu: {
    accountsServer: 'https://accounts.zoho.eu',
    apiDomain: 'https://www.zohoapis.eu',
    helpDesk: 'https://desk.zoho.eu',
  },
  'com.au': {
    accountsServer: 'https://accounts.zoho.com.au',
    apiDomain: 'https://www.zohoapis.com.au',
    helpDesk: 'https://desk.zoho.com.au',
  },
  jp: {
    accountsServer: 'https://accounts.zoho.jp',
    apiDomain: 'https://www.zohoapis.jp',
    helpDesk: 'https://desk.zoho.jp',
  },
  ca: {
    accountsServer: 'https://accounts.zohocloud.ca',
    apiDomain: 'https://www.zohoapis.ca',
    helpDesk: 'https://desk.zohocloud.ca',
  },
  sa: {
    accountsServer: 'https://accounts.zoho.sa',
    apiDomain: 'https://www.zohoapis.sa',
    helpDesk: 'https://desk.zoho.sa',
  },
};
