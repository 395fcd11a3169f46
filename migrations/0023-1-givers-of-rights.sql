-- An invitation that a management key made ends with the key and with the rights of its creator.
alter table invitations add column management_key_id uuid references management_keys (id);
