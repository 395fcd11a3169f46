-- How much an organization on a postpaid plan may owe at most, in micro-units; null means any
-- amount.
alter table organizations
  add column credit_limit bigint,
  add constraint organizations_credit_limit_check check (credit_limit >= 0);
