-- Reads and writes every API key once, about 20 s for a million. Requests only read keys and do not
-- wait; a change of a key that this step has already written waits until it ends.
update api_keys set organization_id = projects.organization_id
from projects where projects.id = api_keys.project_id and api_keys.organization_id is null;

alter table accounts validate constraint accounts_name_check;
alter table accounts validate constraint accounts_platform_role_check;
alter table memberships validate constraint memberships_role_check;
alter table api_keys validate constraint api_keys_models_check;
alter table api_keys validate constraint api_keys_requests_per_minute_check;
alter table api_keys validate constraint api_keys_spending_limit_check;
alter table api_keys validate constraint api_keys_revoke_reason_check;
