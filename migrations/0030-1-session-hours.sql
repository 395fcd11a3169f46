-- How long sessions of members may last; null for as long as the service allows.
alter table organizations
  add column session_hours smallint check (session_hours between 1 and 720);
