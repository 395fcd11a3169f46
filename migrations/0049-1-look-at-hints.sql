-- Whether a hint led to anything is asked for by what it is about.
create index provider_events_ref_idx on provider_events (ref);
