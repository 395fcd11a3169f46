#!lua flags=allow-oom
-- Ends requests of one organization: writes down how each ended, exactly once, or gives back what
-- it reserved where nothing was used. Allowed beyond the server's memory limit, because what was
-- used must be written down and admissions, which are not allowed, stop growth by themselves.
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
-- What reconciliation compares; it looks at hours that are over.
local KEEP_HOUR = 3 * 86400

local function digits(number)
  return string.format('%.0f', number)
end

-- What changes in the funds, summed over the requests of the call.
local cost, freed, priced = 0, 0, false
local projects = {}
local order = {}

local function book(project_id, reserved, used, month)
  local project = projects[project_id]
  if not project then
    project = { freed = 0, costs = {} }
    projects[project_id] = project
    order[#order + 1] = project_id
  end
  priced = true
  cost = cost + used
  freed = freed + reserved
  project.freed = project.freed + reserved
  project.costs[#project.costs + 1] = { month = month, used = used }
end

local COUNTED = { 'cost', 'prompt', 'cached', 'completion', 'reasoning' }
local hours = {}

local function count(i)
  local hour = hours[ARGV[i + 5]]
  if not hour then
    hour = { records = 0, cost = 0, prompt = 0, cached = 0, completion = 0, reasoning = 0 }
    hours[ARGV[i + 5]] = hour
  end
  hour.records = hour.records + 1
  for n, name in ipairs(COUNTED) do
    hour[name] = hour[name] + tonumber(ARGV[i + 6 + n])
  end
end

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
    local used = tonumber(ARGV[i + 7])
    ids[#ids + 1] = id
    if record ~= '' then
      minutes[minute] = true
      redis.call('XADD', KEYS[3], '*', 'record', record)
      count(i)
      done[#done + 1] = 1
    else
      done[#done + 1] = was_open
    end
    if reserved > 0 or used > 0 then
      book(ARGV[i + 1], reserved, used, tonumber(ARGV[i + 6]))
    end
  end
end

if #ids > 0 then
  redis.call('HDEL', KEYS[2], unpack(ids))
end
for minute in pairs(minutes) do
  redis.call('EXPIRE', minute, KEEP_SETTLED)
end
for hour, sums in pairs(hours) do
  local key = KEYS[6] .. hour
  for name, number in pairs(sums) do
    if number > 0 then
      redis.call('HINCRBY', key, name, digits(number))
    end
  end
  redis.call('EXPIRE', key, KEEP_HOUR)
end

-- Funds that are not known here are read from the ledger when they are next needed.
local function write_funds()
  local names = { 'spent', 'reserved' }
  for _, id in ipairs(order) do
    names[#names + 1] = 'reserved:' .. id
    names[#names + 1] = 'spent:' .. id
    names[#names + 1] = 'month:' .. id
  end
  local found = redis.call('HMGET', KEYS[4], unpack(names))
  if not found[1] then
    return
  end
  local fields = {}
  local function set(name, number)
    fields[#fields + 1] = name
    fields[#fields + 1] = digits(number)
  end
  set('spent', tonumber(found[1]) + cost)
  set('reserved', math.max(0, (tonumber(found[2]) or 0) - freed))
  for n, id in ipairs(order) do
    local project = projects[id]
    set('reserved:' .. id, math.max(0, (tonumber(found[3 * n]) or 0) - project.freed))
    local spent, month = tonumber(found[3 * n + 1]), tonumber(found[3 * n + 2])
    if month then
      for _, each in ipairs(project.costs) do
        -- A request counts in the month in which it was made. A month that is over counts no more.
        if each.month > month then
          month, spent = each.month, each.used
        elseif each.month == month then
          spent = spent + each.used
        end
      end
      set('spent:' .. id, spent)
      set('month:' .. id, month)
    end
  end
  redis.call('HSET', KEYS[4], unpack(fields))
end

if priced then
  write_funds()
end
return done
