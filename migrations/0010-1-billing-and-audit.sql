-- What organizations ask: transfers, key counts and audit events in order of their ids, and alerts.

-- The history of an account is read newest first, by id. The table has only transfers that people
-- made, so both indexes are built in moments.
create index transfers_credit_account_id_idx on transfers (credit_account, id);
create index transfers_debit_account_id_idx on transfers (debit_account, id);
drop index transfers_credit_account_idx;
drop index transfers_debit_account_idx;

-- For a bounded count of the keys that were not revoked. On a table with millions of keys make it
-- concurrently before this step.
create index if not exists api_keys_not_revoked_idx on api_keys (organization_id, id)
  where revoked_at is null;

-- Each filter of the audit log has the order of the list in its index.
create index audit_events_actor_idx on audit_events
  (organization_id, coalesce(actor_id, actor_label), id);
create index audit_events_action_idx on audit_events (organization_id, action, id);
create index audit_events_target_idx on audit_events (organization_id, target_id, id);

alter table spending_alerts
  -- Raised by every change, for If-Match.
  add column version       integer not null default 1,
  -- What the worker last found: the month, what was spent in it, and what the organization had
  -- spent in all by then. The sum of the month is read again only if it may have reached the next
  -- threshold. Null after a change.
  add column checked_month date,
  add column checked_spent bigint,
  add column checked_total bigint;

create index spending_alerts_id_idx on spending_alerts (organization_id, id);

alter table sent_alerts
  -- Recipients that have it: addresses, and `webhook`. They are not sent it again.
  add column delivered   text[] not null default '{}',
  -- Nobody could be reached for a day.
  add column given_up_at timestamptz;

drop index sent_alerts_queue_idx;
create index sent_alerts_queue_idx on sent_alerts (next_at)
  where sent_at is null and given_up_at is null;
