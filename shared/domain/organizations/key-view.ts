type StoredKey = {
  key_id: string;
  name: string;
  permissions: string[];
  created_at: string;
  revoked_at?: string | undefined;
};

/** An API key as the dashboard's API shows it: neither its value nor its hash. */
export const viewKey = ({ key_id, name, permissions, created_at, revoked_at }: StoredKey) => ({
  key_id,
  name,
  permissions,
  created_at,
  revoked_at: revoked_at ?? null,
});
