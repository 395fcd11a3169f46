-- Lists of keys by name and without revoked ones, of members without removed ones, and the outbox
-- by age. On a table with millions of keys make the indexes on api_keys concurrently before this
-- step.
create index if not exists api_keys_organization_name_idx
  on api_keys (organization_id, lower(name) collate "C", id);
create index if not exists api_keys_not_revoked_idx on api_keys (organization_id, id)
  where revoked_at is null;
create index if not exists memberships_active_idx on memberships (organization_id, account_id)
  where state = 'active';
create index if not exists announcements_created_at_idx on announcements (created_at);
