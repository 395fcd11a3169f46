-- Money given to an organization that expires. Only such money has a lot: the rest of the balance
-- is what is in none.

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check
  check (kind in ('usage', 'grant', 'adjustment', 'payment', 'refund', 'dispute', 'expiry'));

-- One for each transfer that expires. What was used since the lots of an organization were last
-- settled is not taken from them yet; usage is posted without looking at them.
create table credit_lots (
  id              uuid primary key references transfers (id),
  organization_id uuid not null references organizations (id),
  amount          bigint not null,
  remaining       bigint not null,
  -- What the organization had spent when its lots were last settled: the same in all of its lots of
  -- which something remains.
  attributed      bigint not null,
  expires_at      timestamptz not null,
  -- How often some of it was taken back: a part of the references of those transfers.
  parts           integer not null default 0,
  -- When an email about its end was queued.
  told_at         timestamptz,
  created_at      timestamptz not null default now(),
  constraint credit_lots_remaining_check check (remaining between 0 and amount)
);
create index credit_lots_organization_id_idx on credit_lots (organization_id, expires_at, id)
  where remaining > 0;
create index credit_lots_expires_at_idx on credit_lots (expires_at) where remaining > 0;

-- Takes some of a lot back to where it came from, an hour after its end: that long usage still
-- counts against it. The worker makes no other transfers. Whoever calls it has locked the
-- organization and settled its lots. Returns the new version of the organization.
create function expire_credit(lot uuid, taken bigint, transfer uuid, event uuid) returns bigint
  language plpgsql strict security definer as $$
declare
  funds text;
  source text;
  organization uuid;
  left_over bigint;
  part integer;
  balance bigint;
  raised bigint;
  money text;
  event_at timestamptz;
begin
  select organization_id, debit_account, credit_account into strict organization, source, funds
  from credit_lots join transfers on transfers.id = credit_lots.id where credit_lots.id = lot;
  update organizations set version = version + 1 where id = organization
  returning version into raised;
  perform from ledger_accounts where id in (funds, source) order by id for update;
  select sum(credits - debits) into balance from ledger_accounts
  where id in (funds, 'usage:' || organization);
  update credit_lots set remaining = remaining - taken, parts = parts + 1
  where id = lot and expires_at <= now() - interval '1 hour' and taken between 1 and remaining
    and taken <= balance
  returning remaining, parts into left_over, part;
  if not found then
    raise exception '% of lot % cannot expire', taken, lot
      using errcode = 'invalid_parameter_value';
  end if;
  insert into transfers (id, debit_account, credit_account, amount, kind, reference, made_by,
    reason)
  values (transfer, funds, source, taken, 'expiry', 'expired:' || lot || ':' || part, 'credits',
    'expired');
  update ledger_accounts set
    debits = debits + case when id = funds then taken else 0 end,
    credits = credits + case when id = source then taken else 0 end
  where id in (funds, source);
  insert into announcements (organization_id, version) values (organization, raised)
  on conflict (organization_id) do update
    set version = greatest(announcements.version, excluded.version);
  money := taken / 1000000 || '.'
    || rpad(rtrim(lpad((taken % 1000000)::text, 6, '0'), '0'), 2, '0');
  -- The time that the id begins with.
  event_at := timestamptz 'epoch' + interval '1 millisecond'
    * ('x' || translate(left(event::text, 13), '-', ''))::bit(48)::bigint;
  insert into audit_events (made_at, id, organization_id, actor_kind, actor_label, action,
    target_kind, target_id, changes)
  select event_at, event, organization, 'system', 'credits', 'credit.expire', 'credit', lot,
    jsonb_build_object(
      'amount', jsonb_build_array(null, jsonb_build_object('amount', money,
        'amount_micro', taken, 'currency', (select currency from books))),
      'expires_at', jsonb_build_array(null,
        to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      'finished', jsonb_build_array(null, left_over = 0))
  from credit_lots where credit_lots.id = lot;
  insert into audit_stream_events (stream_id, made_at, event_id)
  select id, event_at, event from audit_streams
  where (organization_id = organization or organization_id is null) and paused_at is null
  -- Waits for whoever is deleting a stream, and then leaves it out.
  for key share;
  return raised;
end
$$;

-- As for the other functions of the worker: temporary tables come last.
do $$
begin
  execute format('alter function expire_credit set search_path = %I, pg_temp', current_schema());
  revoke all on function expire_credit from public;
end
$$;
