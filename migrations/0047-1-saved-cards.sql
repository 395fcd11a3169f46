-- The card of an organization at the payment provider, which may be charged later without anybody
-- present, and what its owner recognizes it by. There is no number of a card.
alter table provider_customers
  add column card_ref           text,
  add column card_brand         text,
  add column card_last_four     text,
  add column card_expires_month smallint,
  add column card_expires_year  smallint;

-- Whether whoever pays agreed that the card is kept for later. The request for the page is made
-- from the row, so it is a part of it.
alter table payments add column save_card boolean not null default false;
