/** The types of connection. An organization has at most one of each (docs/leads.md, "Connections"). */
export const connectionTypes = ['crm-a', 'crm-b', 'help-desk'] as const;
export type ConnectionType = (typeof connectionTypes)[number];
