-- The foreign key locks organizations against writes for as long as it takes to add a trigger.
create table regions (
  organization_id uuid not null references organizations (id),
  name            text not null,
  created_at      timestamptz not null default now(),
  primary key (organization_id, name)
);
