-- What else only the owner of the tables may do: forgetting what is over, and taking back credits.
-- The roles of processes may call these functions, so each checks its arguments.

-- Deletes sessions, links, challenges and answers to idempotency keys that are over: at most 1,000
-- of each kind, without waiting for whoever has locked some of it. Returns whether there may be
-- more.
create function delete_expired() returns boolean language plpgsql security definer as $$
declare
  expiring record;
  deleted integer;
  more boolean := false;
begin
  for expiring in
    -- Each has an index on that column. Used links are kept for a day, because they count against
    -- the number of links per hour.
    select * from (values ('sessions', 'ends_at', interval '0'), ('sign_ups', 'ends_at', '0'),
      ('challenges', 'ends_at', '0'), ('mail_tokens', 'ends_at', '1 day'),
      ('idempotency_keys', 'created_at', '1 day')) as given (name, time_column, kept)
  loop
    execute format('delete from %1$I where ctid = any(array(
        select ctid from %1$I where %2$I < now() - $1 limit 1000 for update skip locked))',
      expiring.name, expiring.time_column) using expiring.kept;
    get diagnostics deleted = row_count;
    more := more or deleted = 1000;
  end loop;
  return more;
end
$$;

-- Deletes what only a person needed whose account was deleted, replaces their addresses by a name
-- that says nothing, and removes their addresses and names from the changes of events about them.
-- Nobody has the right to change the audit log, so that this is all that can be done to it.
create function forget_person(account uuid, known_as text, address text) returns void
  language plpgsql security definer as $$
declare
  addresses text[];
  invited text[];
  own text;
begin
  if not exists (select from accounts where id = account and deleted_at is not null) then
    raise exception 'account % was not deleted', account;
  end if;
  -- Each has an index that begins with the account, or is small.
  foreach own in array '{sessions, passwords, passkeys, one_time_factors, recovery_codes,
      mail_tokens, challenges, sso_identities, first_sign_ins, scim_users,
      scim_group_members}'::text[] loop
    execute format('delete from %I where account_id = $1', own) using account;
  end loop;
  delete from idempotency_keys where actor = account::text;
  addresses := array(
    select lower(address) union
    select distinct lower(actor_label) from audit_events
    where actor_id = account::text and actor_label <> known_as);
  invited := array(select id::text from invitations where lower(email) = any(addresses));
  perform set_config('headrace.forgetting_person', 'on', true);
  update audit_events set actor_label = known_as
  where actor_id = account::text and actor_label <> known_as;
  update audit_events set target_label = known_as,
    changes = changes - '{name,email,requested_email,network}'::text[]
  where target_id = any(invited || account::text)
    and (target_label <> known_as or changes ?| '{name,email,requested_email,network}');
  perform set_config('headrace.forgetting_person', '', true);
  update transfers set made_by = known_as where lower(made_by) = any(addresses);
  update refunds set requested_by = known_as where lower(requested_by) = any(addresses);
  update engine_orders set ordered_by = known_as where lower(ordered_by) = any(addresses);
  delete from invitations where lower(email) = any(addresses);
  delete from sign_ups where lower(email) = any(addresses);
end
$$;

-- Forgets people again who were deleted a short time ago: a call of theirs that had begun before
-- may have written something after. An hour is longer than any such transaction.
create function forget_deleted() returns void language sql security definer as $$
  select forget_person(id, 'deleted-' || right(id::text, 12), null)
  from accounts where deleted_at > now() - interval '1 hour';
$$;

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

-- Names in these functions mean what they mean here, whatever the caller's search_path is.
-- Temporary tables come last: otherwise a caller's table `accounts` would hide the real one.
do $$
declare
  name regproc;
begin
  foreach name in array '{delete_expired, forget_person, forget_deleted,
      expire_credit}'::regproc[] loop
    execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke all on function %s from public', name);
  end loop;
end
$$;
