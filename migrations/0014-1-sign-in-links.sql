-- Links that sign in: `headrace dev` prints one for its operator. The table is small, because its
-- rows are purged, so the check is validated at once.
alter table mail_tokens
  drop constraint mail_tokens_kind_check,
  add constraint mail_tokens_kind_check check (kind in ('verify', 'reset', 'change', 'sign_in'));
