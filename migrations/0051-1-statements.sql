-- What an organization used in a month: written once, after the month is over, and never changed.
-- A request that is posted or replaced later is on the statement of the next month: a cell says
-- what the sums of usage are now, less what earlier statements have of the same month.
create table statements (
  organization_id   uuid not null references organizations (id),
  month             date not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  issued_at         timestamptz not null default now(),
  primary key (organization_id, month),
  constraint statements_month_check check (extract(day from month) = 1)
);

create table statement_cells (
  organization_id   uuid not null,
  month             date not null,
  -- The month of the requests: that of the statement, or the one before.
  used_in           date not null,
  project_id        uuid not null,
  model             text not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, month, used_in, project_id, model),
  foreign key (organization_id, month) references statements
);
