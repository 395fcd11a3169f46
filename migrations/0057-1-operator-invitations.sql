-- Whether an operator, who is no member, invited an owner into an organization that had none. Such
-- an invitation depends on the platform role of the inviter, not on a role in the organization.
alter table invitations add column by_operator boolean not null default false;
create index invitations_by_operator_idx on invitations (organization_id) where by_operator;
