-- The organizations of an account, newest first. On a table with millions of memberships make the
-- index concurrently before this step.
create index if not exists memberships_account_organization_idx
  on memberships (account_id, organization_id) where state = 'active';
