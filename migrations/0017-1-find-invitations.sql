-- Where sign-up is closed, an address needs an invitation.
create index if not exists invitations_lower_email_idx on invitations (lower(email))
  where accepted_at is null and withdrawn_at is null;
