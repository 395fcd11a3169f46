-- Ends requests of one organization: writes down how each ended, exactly once, or gives back what
-- it reserved where nothing was used. apply-costs.lua stands before it.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 usage    stream of the partition: what is not yet in the ledger
--       4 funds    hash: see limits.lua
--       5 settled: followed by the minute, a set of the requests that were settled in it
--       6 hour:    followed by the hour, a hash of what was settled of requests made in it
-- ARGV  for each request twelve: its id, its project, what it reserved, its record as JSON or
--       nothing if it is only released, the minute of its settlement, then of its making the hour
--       and the month (YYYYMM), its cost, its prompt, cached, completion and reasoning tokens
-- Returns for each request 1, or 0 if there was nothing to do: it had been settled before, or it
-- was to be released and was not open.
--
-- The minute comes with the settlement and not from a clock, so that one that is sent twice looks
-- for itself in the same place. A settlement without an open record is written all the same: a
-- failover may have lost it, and the ledger counts a request once by its id.

local PER_REQUEST = 12
-- How long a settlement that is sent again is recognised: far longer than a failover takes.
local KEEP_SETTLED = 300

local done = {}
local ids = {}
local minutes = {}
for i = 1, #ARGV, PER_REQUEST do
  local id = ARGV[i]
  local record = ARGV[i + 3]
  local minute = KEYS[5] .. ARGV[i + 4]
  if record ~= '' and redis.call('SADD', minute, id) == 0 then
    done[#done + 1] = 0
  else
    local was_open = redis.call('HDEL', KEYS[1], id)
    local reserved = was_open * tonumber(ARGV[i + 2])
    ids[#ids + 1] = id
    if record ~= '' then
      minutes[minute] = true
      redis.call('XADD', KEYS[3], '*', 'record', record)
      count(KEYS[6] .. ARGV[i + 5], i + 7)
      done[#done + 1] = 1
    else
      done[#done + 1] = was_open
    end
    book(ARGV[i + 1], reserved, tonumber(ARGV[i + 7]), tonumber(ARGV[i + 6]))
  end
end

if #ids > 0 then
  redis.call('HDEL', KEYS[2], unpack(ids))
end
for minute in pairs(minutes) do
  redis.call('EXPIRE', minute, KEEP_SETTLED)
end
write_hours()
write_funds(KEYS[4])
return done
