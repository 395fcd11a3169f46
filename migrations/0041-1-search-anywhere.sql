-- Keys, organizations and accounts by any part of a name. The owner of a database may create this
-- extension, because it is a trusted one. On a table with millions of rows create the extension
-- and its index concurrently before this step.
create extension if not exists pg_trgm;

create index if not exists api_keys_name_trgm_idx on api_keys using gin (lower(name) gin_trgm_ops);
create index if not exists organizations_name_slug_trgm_idx
  on organizations using gin (lower(name) gin_trgm_ops, slug gin_trgm_ops);
create index if not exists accounts_email_name_trgm_idx
  on accounts using gin (lower(email) gin_trgm_ops, lower(name) gin_trgm_ops);
