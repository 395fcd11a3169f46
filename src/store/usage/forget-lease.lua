-- Forgets the lease of a process that has nothing open in the partition, unless it has been
-- renewed meanwhile.
--
-- KEYS  1 leases  hash by process
-- ARGV  1 the process, 2 its lease as it was last seen
-- Returns how many were forgotten.

if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
