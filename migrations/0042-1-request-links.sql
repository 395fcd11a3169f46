-- Links to the explanation of one request, which whoever has one opens without signing in. Of the
-- link only a hash is stored. A link that is withdrawn is deleted.
create table request_links (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  request_id uuid not null,
  token_hash bytea not null unique,
  created_by uuid not null references accounts (id),
  created_at timestamptz not null default now(),
  ends_at timestamptz not null
);
create index request_links_organization_id_idx on request_links (organization_id, id);
create index request_links_created_by_idx on request_links (created_by);
