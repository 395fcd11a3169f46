-- Ends requests of one organization: writes the usage record of each exactly once and advances the
-- virtual time of its model, or only frees the reserved amount if nothing was used. apply-costs.lua
-- is prepended.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 usage    stream of the partition: usage records that are not yet posted
--       4 funds    hash: see limits.lua
--       5 settled: prefix, followed by a minute: set of the requests settled in it
--       6 hour:    prefix, followed by an hour: hash of sums of settled requests made in it
--       7 key:     prefix, followed by the id of an API key's limits: see limits.lua
--       8 limits   hash with the virtual times: see limits.lua
--       9 running  hash: see limits.lua
-- ARGV  1 the organization, then eighteen for each request: its id, its project, the amount it
--       reserved, its record as JSON or empty if it is only released, the minute of its
--       settlement, the hour it was made in and when that was (ms), its cost, its prompt, cached,
--       completion and reasoning tokens, the id of its API key's limits or empty if that has no
--       spending limit, the credential and the model that it counts as running under, or empty,
--       the model whose virtual time it advances, by how much, and its start tag
-- Returns for each request 1, or 0 if there was nothing to do: it was already settled, or it was to
-- be released and was not open.
--
-- The minute is an argument, not read from a clock, so that a repeated settlement is looked up in
-- the same set. A settlement without an open record is written too: a failover may have lost the
-- open record, and posting counts a request once by its id.

local FIRST = 2
local PER_REQUEST = 18
-- How long a repeated settlement is recognised, in seconds: far longer than a failover takes.
local KEEP_SETTLED = 300
-- As long as limits.lua keeps the hash, in ms.
local KEEP_CLOCKS = 2 * DAY

-- By model; written at once.
local clocks = {}
local has_limits = false

local function advance(model, cost, start_tag)
  if not clocks[model] then
    local found = redis.call('HMGET', KEYS[8], 'clock:' .. model, 'at')
    clocks[model] = tonumber(found[1]) or 0
    has_limits = found[2] and true
  end
  clocks[model] = math.max(clocks[model], start_tag) + cost
end

local function write_clocks()
  local fields = {}
  for model, clock in pairs(clocks) do
    fields[#fields + 1] = 'clock:' .. model
    fields[#fields + 1] = digits(clock)
  end
  if #fields == 0 then
    return
  end
  redis.call('HSET', KEYS[8], unpack(fields))
  -- An admission sets the time to live; here the hash expired or was lost since.
  if not has_limits then
    redis.call('PEXPIRE', KEYS[8], digits(KEEP_CLOCKS))
  end
end

local done = {}
local ids = {}
local minutes = {}
for i = FIRST, #ARGV, PER_REQUEST do
  local id = ARGV[i]
  local record = ARGV[i + 3]
  local minute = KEYS[5] .. ARGV[i + 4]
  if record ~= '' and redis.call('SADD', minute, id) == 0 then
    done[#done + 1] = 0
  else
    local was_open = redis.call('HDEL', KEYS[1], id)
    local reserved = was_open * tonumber(ARGV[i + 2])
    ids[#ids + 1] = id
    if was_open == 1 then
      stop_running(ARGV[1], ARGV[i + 13], ARGV[i + 14])
    end
    if record ~= '' then
      minutes[minute] = true
      redis.call('XADD', KEYS[3], '*', 'record', record)
      local hour = KEYS[6] .. ARGV[i + 5]
      local lost = lost_before(hour, id)
      if lost then
        take_back(hour, id, ARGV[i + 1], ARGV[i + 12], lost)
      end
      add_to_hour(hour, i + 7)
      if tonumber(ARGV[i + 16]) > 0 then
        advance(ARGV[i + 15], tonumber(ARGV[i + 16]), tonumber(ARGV[i + 17]))
      end
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
write_running(KEYS[9])
write_clocks()
return done
