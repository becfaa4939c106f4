/** The demo organization of a fresh stage. */
export type Demo = {
  org_id: string;
  api_key: string;
  assistant_id: string;
  /** The owner, who signs in to the dashboard. */
  dashboard_user: { email: string; password: string };
  connections: {
    crm_a: { connection_id: string; token: string; owner_id: string };
    crm_b: { connection_id: string; owner_id?: string };
    /** Only with the simulator: the departments of another help desk are unknown. */
    help_desk?: { connection_id: string };
  };
};
