-- Whether an account has ever signed in: the first device of a person is not news to them, and
-- every other one is. A row is written once and never changed.
create table first_sign_ins (
  account_id uuid primary key references accounts (id),
  at         timestamptz not null default now()
);
