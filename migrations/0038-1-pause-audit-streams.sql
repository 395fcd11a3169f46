-- Since when a stream is not sent, because its receiver stayed away. Nothing is queued meanwhile.
alter table audit_streams add column paused_at timestamptz;
