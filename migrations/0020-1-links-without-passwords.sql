-- A sign-up has no password: whoever uses the link chooses it. Links are counted by the network
-- that asked for them, so that a stranger cannot use up the allowance of the owner of an address.
alter table sign_ups
  drop column phc,
  add column network text not null;

-- Null for a link that nobody asked for from outside: one that an operator makes.
alter table mail_tokens add column network text;
