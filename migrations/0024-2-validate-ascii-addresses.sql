-- Reads the tables, but blocks neither reads nor writes.
alter table accounts validate constraint accounts_email_ascii_check;
alter table invitations validate constraint invitations_email_ascii_check;
alter table sign_ups validate constraint sign_ups_email_ascii_check;
