type StoredKey = {
  key_id: string;
  name: string;
  permissions: string[];
  created_at: string;
  created_by?: string | undefined;
  last_used_at?: string | undefined;
  revoked_at?: string | undefined;
};

/** Returns an API key as the dashboard's API shows it: neither its value nor its hash. */
export const viewKey = ({
  key_id,
  name,
  permissions,
  created_at,
  created_by,
  last_used_at,
  revoked_at,
}: StoredKey) => ({
  key_id,
  name,
  permissions,
  created_at,
  created_by: created_by ?? null,
  last_used_at: last_used_at ?? null,
  revoked_at: revoked_at ?? null,
});
