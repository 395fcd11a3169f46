-- What was used: a record for each request, and sums of the records.
--
-- Amounts are whole micro-units of the operator's currency. Days are UTC. These tables have no
-- foreign keys: they are written in batches of thousands, name only what admission checked, and
-- must outlive whatever they name. A default partition catches what no partition was made for, so
-- that a late worker loses nothing.

-- One row per admitted generation that reached an engine. The day comes out of the request id (a
-- UUID version 7 begins with its time), so that the same request always falls into the same
-- partition and the primary key alone says whether it was counted.
create table usage_records (
  opened_on          date not null,
  id                 uuid not null,
  organization_id    uuid not null,
  project_id         uuid not null,
  credential_id      uuid not null,
  credential_kind    text,
  -- Null for a key that no member owns.
  account_id         uuid,
  -- The partition of the usage log that it came from, for reconciliation.
  log_partition      smallint not null,
  -- The process that ran it.
  instance           uuid,
  model              text not null,
  engine             text,
  -- Engines that were tried.
  attempts           smallint,
  retention          text,
  outcome            text not null,
  -- Where the counts come from; see docs/specification.md.
  basis              text not null,
  prompt_tokens      integer not null,
  cached_tokens      integer not null,
  completion_tokens  integer not null,
  reasoning_tokens   integer not null,
  -- Prices in force when it was admitted, per million tokens; null where the plan has none.
  input_price        bigint,
  cached_input_price bigint,
  output_price       bigint,
  -- The worst case that was reserved, in micro-units.
  reserved           bigint,
  cost               bigint not null,
  queued_ms          integer,
  first_token_ms     integer,
  duration_ms        integer,
  settled_at         timestamptz not null,
  posted_at          timestamptz not null default now(),
  primary key (opened_on, id),
  constraint usage_records_outcome_check check (outcome in ('completed', 'failed', 'abandoned',
                                                            'lost')),
  constraint usage_records_basis_check check (basis in ('engine', 'engine_partial', 'checkpoint',
                                                        'none')),
  constraint usage_records_counts_check check (prompt_tokens >= 0 and cached_tokens >= 0
                                               and completion_tokens >= 0
                                               and reasoning_tokens >= 0 and cost >= 0)
) partition by range (opened_on);

-- Lists, newest first: of all requests, of those of a member or of a key that no member owns, and
-- of those that did not complete.
create index usage_records_organization_id_idx on usage_records (organization_id, id);
create index usage_records_owner_idx on usage_records
  (organization_id, (coalesce(account_id, credential_id)), id);
create index usage_records_outcome_idx on usage_records (organization_id, outcome, id)
  where outcome <> 'completed';

create table usage_records_default partition of usage_records default;

-- Sums of the records, added to in the transaction that posts them. The account is not in the
-- primary keys, because a key has one for its whole life. `failed` counts requests that did not
-- complete; null is an unknown count, which makes a sum unknown, too.
create table usage_hourly (
  hour              timestamptz not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  credential_id     uuid not null,
  account_id        uuid,
  model             text not null,
  requests          bigint not null,
  failed            bigint,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, hour, project_id, credential_id, model)
) partition by range (hour);

create table usage_hourly_default partition of usage_hourly default;

create table usage_daily (
  day               date not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  credential_id     uuid not null,
  account_id        uuid,
  model             text not null,
  requests          bigint not null,
  failed            bigint,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, day, project_id, credential_id, model)
) partition by range (day);

create index usage_daily_project_id_idx on usage_daily (project_id, day);

create table usage_daily_default partition of usage_daily default;

-- What each project used on each day, whatever the number of its keys and models: pages that show a
-- month read at most one row for each day and project. Triggers add it up in the transaction that
-- posts usage. They are of statements on the parent table, so that moving rows to another partition
-- adds nothing.
create table usage_totals (
  organization_id   uuid not null,
  day               date not null,
  project_id        uuid not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, day, project_id)
);

create index usage_totals_project_id_idx on usage_totals (project_id, day);

create function add_usage_totals() returns trigger language plpgsql as $$
begin
  insert into usage_totals as total
  select organization_id, day, project_id, sum(requests), sum(prompt_tokens), sum(cached_tokens),
    sum(completion_tokens), sum(reasoning_tokens), sum(cost)
  from added group by organization_id, day, project_id order by organization_id, day, project_id
  on conflict (organization_id, day, project_id) do update set
    requests = total.requests + excluded.requests,
    prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = total.cached_tokens + excluded.cached_tokens,
    completion_tokens = total.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = total.reasoning_tokens + excluded.reasoning_tokens,
    cost = total.cost + excluded.cost;
  return null;
end
$$;

create function change_usage_totals() returns trigger language plpgsql as $$
begin
  insert into usage_totals as total
  select organization_id, day, project_id, sum(sign * requests), sum(sign * prompt_tokens),
    sum(sign * cached_tokens), sum(sign * completion_tokens), sum(sign * reasoning_tokens),
    sum(sign * cost)
  from (select 1 as sign, added.* from added union all select -1, removed.* from removed) as both_
  group by organization_id, day, project_id order by organization_id, day, project_id
  on conflict (organization_id, day, project_id) do update set
    requests = total.requests + excluded.requests,
    prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = total.cached_tokens + excluded.cached_tokens,
    completion_tokens = total.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = total.reasoning_tokens + excluded.reasoning_tokens,
    cost = total.cost + excluded.cost;
  return null;
end
$$;

create trigger usage_daily_added after insert on usage_daily
  referencing new table as added
  for each statement execute function add_usage_totals();

create trigger usage_daily_changed after update on usage_daily
  referencing old table as removed new table as added
  for each statement execute function change_usage_totals();

-- The first day of which a table has all rows, once older ones were deleted.
create table kept_from (
  table_name text primary key,
  day        date not null
);

-- What reconciliation found, an hour and a source at a time: what the ledger holds against what
-- an engine or the usage log counted by itself.
create table reconciliations (
  hour               timestamptz not null,
  source             text not null,
  name               text not null,
  ledger_records     bigint not null,
  ledger_prompt      bigint not null,
  ledger_completion  bigint not null,
  counted_records    bigint,
  counted_prompt     bigint,
  counted_completion bigint not null,
  difference         bigint not null,
  checked_at         timestamptz not null default now(),
  primary key (hour, source, name),
  constraint reconciliations_source_check check (source in ('engine', 'usage_log'))
);

create index reconciliations_differences_idx on reconciliations (hour, source, name)
  where difference <> 0;
