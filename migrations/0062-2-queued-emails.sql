-- People read emails; the queue is named after them.
alter table letters rename to queued_emails;
alter table queued_emails rename constraint letters_pkey to queued_emails_pkey;
alter table queued_emails
  rename constraint letters_organization_id_fkey to queued_emails_organization_id_fkey;
alter index letters_next_at_idx rename to queued_emails_next_at_idx;
alter index letters_made_at_idx rename to queued_emails_made_at_idx;
alter index letters_organization_id_idx rename to queued_emails_organization_id_idx;
