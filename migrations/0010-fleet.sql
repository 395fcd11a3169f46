-- What operators ordered an engine to do. An engine without a row is used.
create table engine_orders (
  engine     text primary key,
  state      text not null,
  ordered_at timestamptz not null default now(),
  ordered_by text not null,
  note       text,
  constraint engine_orders_engine_check check (length(engine) between 1 and 256),
  constraint engine_orders_state_check check (state in ('draining', 'disabled')),
  constraint engine_orders_note_check check (length(note) <= 200)
);

-- Rises with every order, so that Valkey never replaces newer orders by older ones. One row.
create table engine_orders_version (
  id      boolean primary key default true,
  version bigint not null,
  constraint engine_orders_version_id_check check (id)
);

insert into engine_orders_version (version) values (0);
