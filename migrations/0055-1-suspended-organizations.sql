-- An organization that the operator closed for a reason: its keys and its playground get 403 until
-- the operator opens it again. Its members see the reason.
alter table organizations
  add column suspended_at     timestamptz,
  add column suspended_reason text,
  add constraint organizations_suspended_check check (
    (suspended_at is null) = (suspended_reason is null)
    and length(suspended_reason) between 1 and 200);
