-- Moves an entry that cannot be posted from the usage stream to the stream of rejected entries, so
-- that later entries are not blocked.
--
-- KEYS  1 usage     stream of the partition
--       2 rejected  stream of rejected entries; the oldest are trimmed
-- ARGV  1 id of the entry
--       2 approximate maximum length of the rejected stream
-- Returns 1 if it was moved, 0 if it no longer exists.

local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then
  return 0
end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'entry', ARGV[1], unpack(entry[2]))
redis.call('XDEL', KEYS[1], ARGV[1])
return 1
