-- What operators ordered an engine to do. An engine without a row is used.
create table engine_orders (
  engine     text primary key check (length(engine) between 1 and 256),
  state      text not null check (state in ('draining', 'disabled')),
  ordered_at timestamptz not null default now(),
  ordered_by text not null,
  note       text check (length(note) <= 200)
);

-- Rises with every order, so that Valkey never replaces newer orders by older ones.
create table engine_orders_version (
  id      boolean primary key default true check (id),
  version bigint not null
);

insert into engine_orders_version (version) values (0);
