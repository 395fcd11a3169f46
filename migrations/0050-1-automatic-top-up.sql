-- Charges of a saved card without anybody present.
alter table payments drop constraint payments_kind_check;
alter table payments add constraint payments_kind_check check (kind in ('page', 'automatic'));
alter table payments drop constraint payments_state_check;
alter table payments add constraint payments_state_check check (state in ('created', 'open',
  'processing', 'needs_customer', 'succeeded', 'failed', 'expired', 'attention'));

-- The card that is charged, and the most that it may be charged with tax. Requests are made from
-- the row, so a card that is saved meanwhile changes no request that is repeated.
alter table payments
  add column card_ref  text,
  add column total_max bigint,
  add constraint payments_card_check
    check ((kind = 'automatic') = (card_ref is not null and total_max is not null));

-- At most one is in flight for each organization, whoever starts them.
create unique index payments_automatic_key on payments (organization_id)
  where kind = 'automatic'
    and state in ('created', 'open', 'processing', 'needs_customer', 'attention');
