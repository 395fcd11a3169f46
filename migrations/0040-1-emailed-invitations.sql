-- Whether the link was sent to the invited address and shown to nobody else: then whoever has it
-- reads the mail of that address. A link that the inviter passed on proves nothing.
alter table invitations add column emailed boolean not null default false;

-- Whether an invitation let the account in, past the waiting list or a closed sign-up. No operator
-- has admitted such a person, so they create no organizations until one does.
alter table accounts add column by_invitation boolean not null default false;
