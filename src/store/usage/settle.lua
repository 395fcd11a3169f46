-- Ends requests of one organization: writes the usage record of each exactly once, or only frees
-- the reserved amount if nothing was used. apply-costs.lua is prepended.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 usage    stream of the partition: usage records that are not yet posted
--       4 funds    hash: see limits.lua
--       5 settled: prefix, followed by a minute: set of the requests settled in it
--       6 hour:    prefix, followed by an hour: hash of sums of settled requests made in it
--       7 key:     prefix, followed by the id of an API key's limits: see limits.lua
-- ARGV  thirteen for each request: its id, its project, the amount it reserved, its record as JSON
--       or empty if it is only released, the minute of its settlement, the hour it was made in and
--       when that was (ms), its cost, its prompt, cached, completion and reasoning tokens, and the
--       id of its API key's limits or empty if that has no spending limit
-- Returns for each request 1, or 0 if there was nothing to do: it was already settled, or it was to
-- be released and was not open.
--
-- The minute is an argument, not read from a clock, so that a repeated settlement is looked up in
-- the same set. A settlement without an open record is written too: a failover may have lost the
-- open record, and posting counts a request once by its id.

local PER_REQUEST = 13
-- How long a repeated settlement is recognised, in seconds: far longer than a failover takes.
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
      local hour = KEYS[6] .. ARGV[i + 5]
      local lost = lost_before(hour, id)
      if lost then
        take_back(hour, id, ARGV[i + 1], ARGV[i + 12], lost)
      end
      add_to_hour(hour, i + 7)
      done[#done + 1] = 1
    else
      done[#done + 1] = was_open
    end
    add_cost(
      ARGV[i + 1], ARGV[i + 12], reserved, tonumber(ARGV[i + 7]), tonumber(ARGV[i + 6]))
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
write_keys(KEYS[7])
return done
