-- Raises the version of an organization, which makes cached identities with a lower one stale.
--
-- KEYS  1 version  string: the highest version of the organization seen so far
-- ARGV  1 version, 2 how long it is kept, in ms
-- Returns the version before.
--
-- It always writes, so that waiting for replicas covers the version whoever wrote it first.

local stored = tonumber(redis.call('GET', KEYS[1])) or 0
redis.call('SET', KEYS[1], math.max(stored, tonumber(ARGV[1])), 'PX', ARGV[2])
return stored
