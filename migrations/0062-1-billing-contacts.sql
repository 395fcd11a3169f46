-- Who gets emails about the money of an organization instead of its owners. Of its own, so that
-- neither the API nor the worker can read the addresses.
create table billing_contacts (
  organization_id uuid primary key references organizations (id),
  emails          text[] not null,
  changed_at      timestamptz not null default now(),
  constraint billing_contacts_emails_check check (cardinality(emails) between 1 and 10)
);
