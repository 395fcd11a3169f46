-- Moves posted entries from the usage stream to the stream of kept ones, so that they can be posted
-- again after PostgreSQL was restored from a backup.
--
-- KEYS  1 usage   stream of the partition
--       2 posted  stream of kept entries; their ids are the times when they were posted
-- ARGV  1 for how long they are kept (ms), 2 … the ids of the entries
-- Returns 1, or 0 if the server's memory is full: then the kept entries of the partition are
-- deleted, because requests are refused until there is memory again.

local full = false
for i = 2, #ARGV do
  -- An entry that was moved by a call whose reply was lost is no longer there.
  local entry = redis.call('XRANGE', KEYS[1], ARGV[i], ARGV[i])[1]
  if entry then
    local added = redis.pcall('XADD', KEYS[2], '*', unpack(entry[2]))
    if type(added) == 'table' then
      if not string.find(added.err, 'OOM', 1, true) then
        return added
      end
      full = true
      break
    end
  end
end
redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
if full then
  redis.call('UNLINK', KEYS[2])
  return 0
end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1
