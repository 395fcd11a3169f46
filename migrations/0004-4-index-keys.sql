-- On a table with millions of keys make both indexes concurrently before this step.
create index if not exists api_keys_organization_id_idx on api_keys (organization_id, id);
create index if not exists api_keys_owner_idx on api_keys (organization_id, created_by, id)
  where created_by is not null;
