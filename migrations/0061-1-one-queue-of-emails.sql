-- Emails about automatic top-up are in `letters`, like all others about payments. Nothing is moved:
-- no release has this table.
drop table top_up_letters;
