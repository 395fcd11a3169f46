-- The session at the identity provider that a session came from: the connection, a colon, and the
-- `sid` of the provider. The provider ends it by this name (back-channel logout).
alter table sessions add column sso_sid text;

create index sessions_sso_sid_idx on sessions (sso_sid) where sso_sid is not null;
