-- Where members and keys of an organization may call from; none means from anywhere.
alter table organizations
  add column allowed_networks text[] not null default '{}'
    check (cardinality(allowed_networks) <= 50);
