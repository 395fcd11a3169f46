-- What somebody on the waiting list wrote to the operator about themselves.
alter table accounts
  add column waiting_note text,
  add constraint accounts_waiting_note_check check (length(waiting_note) between 1 and 500);
