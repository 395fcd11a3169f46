-- Sign-ups whose address was not confirmed yet. The account is created when the link is used, with
-- the password of that very sign-up; until then nothing tells the address from an unknown one.
create table sign_ups (
  hash       bytea primary key,
  email      text not null,
  phc        text not null,
  created_at timestamptz not null default now(),
  ends_at    timestamptz not null,
  constraint sign_ups_hash_check check (octet_length(hash) = 32)
);

create index sign_ups_email_idx on sign_ups (lower(email), created_at);
create index sign_ups_ends_at_idx on sign_ups (ends_at);
