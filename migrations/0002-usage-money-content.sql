-- What was used, what it cost, and what of it is kept.
--
-- Amounts are whole micro-units of the operator's currency. Days are UTC. A usage record has no
-- foreign keys: it is written in batches of thousands, names only what admission checked, and must
-- outlive whatever it names.

-- One row per admitted generation that reached an engine. The day comes out of the request id (a
-- UUID version 7 begins with its time), so that the same request always falls into the same
-- partition and the primary key alone says whether it was counted.
create table usage_records (
  opened_on         date not null,
  id                uuid not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  credential_id     uuid not null,
  -- The partition of the usage log that it came from, for reconciliation.
  log_partition     smallint not null,
  model             text not null,
  engine            text,
  outcome           text not null,
  -- Where the counts come from; see docs/specification.md.
  basis             text not null,
  prompt_tokens     integer not null,
  cached_tokens     integer not null,
  completion_tokens integer not null,
  reasoning_tokens  integer not null,
  -- Prices in force when it was admitted, per million tokens; null where the plan has none.
  input_price        bigint,
  cached_input_price bigint,
  output_price       bigint,
  cost              bigint not null,
  queued_ms         integer,
  first_token_ms    integer,
  duration_ms       integer,
  settled_at        timestamptz not null,
  posted_at         timestamptz not null default now(),
  primary key (opened_on, id),
  constraint usage_records_outcome_check check (outcome in ('completed', 'failed', 'abandoned',
                                                            'lost')),
  constraint usage_records_basis_check check (basis in ('engine', 'engine_partial', 'checkpoint',
                                                        'none')),
  constraint usage_records_counts_check check (prompt_tokens >= 0 and cached_tokens >= 0
                                               and completion_tokens >= 0
                                               and reasoning_tokens >= 0 and cost >= 0)
) partition by range (opened_on);

create index usage_records_organization_id_idx on usage_records (organization_id, id);

-- Catches what no day's partition was made for, so that a late worker loses nothing.
create table usage_records_default partition of usage_records default;

-- Sums of the records, added to in the transaction that posts them.
create table usage_hourly (
  hour              timestamptz not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  credential_id     uuid not null,
  model             text not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, hour, project_id, credential_id, model)
);

create table usage_daily (
  day               date not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  credential_id     uuid not null,
  model             text not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, day, project_id, credential_id, model)
);

create index usage_daily_project_id_idx on usage_daily (project_id, day);

-- The books. A transfer debits one account and credits another by the same amount, so they sum to
-- zero whatever happens. Every organization has two accounts: `funds:<id>`, credited by what it was
-- given, and `usage:<id>`, debited by what it used. Its balance is what both sum to.
create table ledger_accounts (
  id              text primary key,
  organization_id uuid references organizations (id),
  debits          bigint not null default 0,
  credits         bigint not null default 0,
  constraint ledger_accounts_sums_check check (debits >= 0 and credits >= 0)
);

-- Where money of organizations comes from and goes to.
insert into ledger_accounts (id) values ('grants'), ('adjustments'), ('revenue');

create table transfers (
  id             uuid primary key,
  debit_account  text not null references ledger_accounts (id),
  credit_account text not null references ledger_accounts (id),
  amount         bigint not null,
  kind           text not null,
  -- Whoever makes a transfer names it, so that saying it again does nothing.
  reference      text not null unique,
  -- Who made it and why, for those made by people.
  made_by        text,
  reason         text,
  made_at        timestamptz not null default now(),
  constraint transfers_amount_check check (amount > 0),
  constraint transfers_accounts_check check (debit_account <> credit_account),
  constraint transfers_kind_check check (kind in ('usage', 'grant', 'adjustment')),
  constraint transfers_people_check check (kind = 'usage' or (made_by is not null
                                                              and reason is not null))
);

create index transfers_credit_account_idx on transfers (credit_account, made_at);
create index transfers_debit_account_idx on transfers (debit_account, made_at);

-- A month's spending limit of one project, in micro-units; null is none.
alter table projects add column spending_limit bigint;
alter table projects add constraint projects_spending_limit_check check (spending_limit >= 0);

-- What an organization lets the operator keep is encrypted with a key of its own for each kind of
-- retention and each UTC day, which is itself encrypted with the operator's. Destroying the row
-- makes all that was encrypted with it unreadable for good, in copies of the database's files too.
create table content_keys (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  retention       text not null,
  day             date not null,
  wrapped         bytea not null,
  created_at      timestamptz not null default now(),
  unique (organization_id, retention, day),
  constraint content_keys_retention_check check (retention in ('standard', 'contributor'))
);

create index content_keys_day_idx on content_keys (retention, day);

-- Content, always encrypted. The two kinds of retention end at different times, so each has days
-- of its own that are dropped whole.
create table retained_content (
  retention         text not null,
  kept_on           date not null,
  id                uuid not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  -- No foreign key: the row outlives its key when that is destroyed.
  key_id            uuid not null,
  -- The consent under which a contribution was made, as it stood at the request.
  terms_version     text,
  terms_accepted_at timestamptz,
  terms_accepted_by uuid,
  model             text not null,
  sealed            bytea not null,
  primary key (retention, kept_on, id),
  constraint retained_content_consent_check check (
    retention <> 'contributor'
    or (terms_version is not null and terms_accepted_at is not null
        and terms_accepted_by is not null)
  )
) partition by list (retention);

create index retained_content_organization_id_idx on retained_content (organization_id, id);

create table retained_standard partition of retained_content
  for values in ('standard') partition by range (kept_on);
create table retained_standard_default partition of retained_standard default;

create table retained_contributor partition of retained_content
  for values in ('contributor') partition by range (kept_on);
create table retained_contributor_default partition of retained_contributor default;

-- What reconciliation found, an hour and a source at a time: what the ledger holds against what
-- an engine or the usage log counted by itself.
create table reconciliations (
  hour                 timestamptz not null,
  source               text not null,
  name                 text not null,
  ledger_records       bigint not null,
  ledger_prompt        bigint not null,
  ledger_completion    bigint not null,
  counted_records      bigint,
  counted_prompt       bigint,
  counted_completion   bigint not null,
  difference           bigint not null,
  checked_at           timestamptz not null default now(),
  primary key (hour, source, name),
  constraint reconciliations_source_check check (source in ('engine', 'usage_log'))
);
