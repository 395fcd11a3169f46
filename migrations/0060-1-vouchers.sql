-- Vouchers: codes that operators make, and that organizations redeem for balance.

-- Where the money of redeemed vouchers comes from, and where a credit that expires goes back to.
insert into ledger_accounts (id) values ('vouchers');

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check check (kind in
  ('usage', 'grant', 'adjustment', 'payment', 'refund', 'dispute', 'expiry', 'voucher'));

create table vouchers (
  id                uuid primary key,
  -- SHA-256 of the code, which is stored nowhere.
  code_hash         bytea not null unique,
  -- In micro-units: what each organization gets.
  amount            bigint not null,
  organizations_max integer not null,
  -- How many organizations have redeemed it.
  redeemed          integer not null default 0,
  -- Until when it can be redeemed; null for ever.
  expires_at        timestamptz,
  -- After so many days what is left of the credit is taken back; null for never.
  credit_days       integer,
  note              text,
  -- An account, or the name of a management key or of whoever used the command line.
  made_by           uuid references accounts (id),
  made_by_name      text,
  made_at           timestamptz not null default now(),
  revoked_at        timestamptz,
  constraint vouchers_amount_check check (amount > 0),
  constraint vouchers_redeemed_check check (redeemed between 0 and organizations_max),
  constraint vouchers_credit_days_check check (credit_days > 0),
  constraint vouchers_made_by_check check ((made_by is null) <> (made_by_name is null))
);

-- An organization redeems a voucher once. The reference of the transfer names both.
create table voucher_redemptions (
  voucher_id      uuid not null references vouchers (id),
  organization_id uuid not null references organizations (id),
  transfer_id     uuid not null unique references transfers (id),
  redeemed_by     uuid not null references accounts (id),
  redeemed_at     timestamptz not null default now(),
  primary key (voucher_id, organization_id)
);
