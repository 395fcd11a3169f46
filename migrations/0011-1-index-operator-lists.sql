-- For the lists of operators. On a table with millions of rows make its index concurrently before
-- this step.
create index if not exists accounts_state_idx on accounts (state, id);
create index if not exists accounts_platform_role_idx on accounts (platform_role, id)
  where platform_role is not null;

-- Names are not unique, so that the order needs the id. With "C" pairs compare in this order.
create index if not exists organizations_name_id_idx
  on organizations ((lower(name) collate "C"), id);

create index if not exists reconciliations_differences_idx on reconciliations (hour, source, name)
  where difference <> 0;

-- PostgreSQL does not use the order of (organization_id, id) for "organization_id is null".
create index if not exists management_keys_platform_idx on management_keys (id)
  where organization_id is null;
