-- What the books are kept in, and partitions by time for tables that grow for ever.
--
-- Three steps, because each holds its locks until it ends: this one adds constraints without
-- reading the tables, the second reads them without blocking anyone, the third relies on them.

-- One row. The first process or command writes the currency that is in its configuration.
create table books (
  only_row boolean primary key default true,
  currency text not null,
  constraint books_only_row_check check (only_row),
  constraint books_currency_check check (currency ~ '^[A-Z]{3}$')
);

-- The first day of which a table has all rows, once older ones were deleted.
create table kept_from (
  table_name text primary key,
  day        date not null
);

-- What the usage of an hour cost an organization. Transfers made by people stay in `transfers`,
-- whose references must be unique for ever, which a table partitioned by time cannot promise.
create table usage_transfers (
  -- When it was posted.
  hour           timestamptz not null,
  debit_account  text not null,
  credit_account text not null,
  -- An opening is the sum of older transfers that were deleted.
  kind           text not null default 'usage',
  amount         bigint not null,
  primary key (hour, debit_account, credit_account, kind),
  constraint usage_transfers_amount_check check (amount > 0),
  constraint usage_transfers_accounts_check check (debit_account <> credit_account),
  constraint usage_transfers_kind_check check (kind in ('usage', 'opening'))
) partition by range (hour);

create table usage_transfers_default partition of usage_transfers default;

-- The tables as they are become the partitions of all time before a day at least a week away. The
-- names of the constraints, and then of these partitions, contain the day.
do $$
declare
  until constant date :=
    date_trunc('month', (now() at time zone 'utc') + interval '1 month 7 days')::date;
begin
  execute format('alter table usage_hourly add constraint %I check (hour < %L) not valid',
    'usage_hourly_until_' || to_char(until, 'YYYYMMDD'),
    to_char(until, 'YYYY-MM-DD') || ' 00:00+00');
  execute format('alter table usage_daily add constraint %I check (day < %L) not valid',
    'usage_daily_until_' || to_char(until, 'YYYYMMDD'), to_char(until, 'YYYY-MM-DD'));
end
$$;
