-- Reads the limits and funds of an organization at one moment. Writes nothing.
--
-- KEYS  1 limits, 2 funds: hashes; 3 running: hash of the partition: see limits.lua
-- ARGV  1 the organization
-- Returns the server's time (ms); at, request_debt, token_debt, requests_today, tokens_today; spent
-- and reserved; how many requests of the organization are running; each as stored, or nothing.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local limits =
  redis.call('HMGET', KEYS[1], 'at', 'request_debt', 'token_debt', 'requests_today', 'tokens_today')
local funds = redis.call('HMGET', KEYS[2], 'spent', 'reserved')
return { string.format('%.0f', now), limits, funds, redis.call('HGET', KEYS[3], ARGV[1]) }
