-- Moves one entry of a usage stream that cannot be posted out of the way of those behind it.
--
-- KEYS  1 usage     stream of the partition
--       2 rejected  stream of what was moved; the oldest go first
-- ARGV  1 id of the entry
--       2 how many entries the rejected stream keeps, approximately
-- Returns 1 if it was moved, 0 if it is not there any more.

local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then
  return 0
end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'entry', ARGV[1], unpack(entry[2]))
redis.call('XDEL', KEYS[1], ARGV[1])
return 1
