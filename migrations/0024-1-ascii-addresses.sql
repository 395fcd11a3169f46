-- Programs and databases disagree about the lower case of letters outside ASCII, so that several
-- spellings could name one account. A domain in another script is stored in its xn-- form.
alter table accounts
  add constraint accounts_email_ascii_check check (email !~ '[^!-~]') not valid;
alter table invitations
  add constraint invitations_email_ascii_check check (email !~ '[^!-~]') not valid;
alter table sign_ups
  add constraint sign_ups_email_ascii_check check (email !~ '[^!-~]') not valid;
