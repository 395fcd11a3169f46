-- Deletes the lease of a process that has no open request in the partition, unless the lease was
-- renewed in the meantime.
--
-- KEYS  1 leases  hash by process
-- ARGV  1 the process, 2 its lease as last read
-- Returns the number of deleted leases.

if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
