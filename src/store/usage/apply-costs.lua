-- Collects what the end of requests changes in their organization's funds, running requests and
-- hourly sums, then writes it at once. Prepended to the scripts that end requests; `utc_month` is
-- in utc-month.lua.

-- Reconciliation compares these sums for hours that are over.
local KEEP_HOUR = 3 * 86400

local function digits(number)
  return string.format('%.0f', number)
end

local SUMMED = { 'cost', 'prompt', 'cached', 'completion', 'reasoning' }
local hours = {}

local function hour_at(key)
  if not hours[key] then
    hours[key] = { records = 0, cost = 0, prompt = 0, cached = 0, completion = 0, reasoning = 0 }
  end
  return hours[key]
end

-- Adds a request to the hour of this key; its cost and tokens begin at ARGV[first].
local function add_to_hour(key, first)
  local hour = hour_at(key)
  hour.records = hour.records + 1
  for n, name in ipairs(SUMMED) do
    hour[name] = hour[name] + tonumber(ARGV[first - 1 + n])
  end
end

local function write_hours()
  for key, sums in pairs(hours) do
    for name, number in pairs(sums) do
      if number ~= 0 then
        redis.call('HINCRBY', key, name, digits(number))
      end
    end
    redis.call('EXPIRE', key, KEEP_HOUR)
  end
end

local cost, freed, priced = 0, 0, false
-- By id: of projects, and of API keys with a spending limit, under the ids they count it under.
local projects, api_keys = {}, {}
local order = {}

-- A request counts in the month it was made in, by its id. Its host's clock may be wrong, so the id
-- is believed only if it is of the last day by the server's clock.
local DAY = 86400000
local now, this_month
local function is_of_earlier_month(made)
  if not now then
    now = redis.call('TIME')[1] * 1000
    this_month = utc_month(now)
  end
  return made <= now and now - made <= DAY and utc_month(made) < this_month
end

local function add_to(sums, reserved, used, made)
  sums.freed = sums.freed + reserved
  if not is_of_earlier_month(made) then
    sums.used = sums.used + used
  end
end

-- Adds the cost of a request made at this time (ms), and frees the amount it had reserved. The id
-- of its API key's limits is empty if the key has no spending limit.
local function add_cost(project_id, limits_id, reserved, used, made)
  if reserved == 0 and used == 0 then
    return
  end
  if not projects[project_id] then
    projects[project_id] = { freed = 0, used = 0 }
    order[#order + 1] = project_id
  end
  priced = true
  cost = cost + used
  freed = freed + reserved
  add_to(projects[project_id], reserved, used, made)
  if limits_id ~= '' then
    api_keys[limits_id] = api_keys[limits_id] or { freed = 0, used = 0 }
    add_to(api_keys[limits_id], reserved, used, made)
  end
end

-- Funds that are not stored here are read from PostgreSQL when they are next needed.
local function write_funds(key)
  if not priced then
    return
  end
  local names = { 'spent', 'reserved' }
  for _, id in ipairs(order) do
    names[#names + 1] = 'reserved:' .. id
    names[#names + 1] = 'spent:' .. id
    names[#names + 1] = 'month:' .. id
  end
  local found = redis.call('HMGET', key, unpack(names))
  if not found[1] then
    return
  end
  local fields = {}
  local function set(name, number)
    fields[#fields + 1] = name
    fields[#fields + 1] = digits(number)
  end
  set('spent', math.max(0, tonumber(found[1]) + cost))
  set('reserved', math.max(0, (tonumber(found[2]) or 0) - freed))
  for n, id in ipairs(order) do
    local project = projects[id]
    set('reserved:' .. id, math.max(0, (tonumber(found[3 * n]) or 0) - project.freed))
    local spent, month = tonumber(found[3 * n + 1]), tonumber(found[3 * n + 2])
    if month then
      if this_month > month then
        month, spent = this_month, 0
      end
      set('spent:' .. id, math.max(0, spent + project.used))
      set('month:' .. id, month)
    end
  end
  redis.call('HSET', key, unpack(fields))
end

-- Likewise. `prefix` is followed by the id of a key's limits.
local function write_keys(prefix)
  for id, sums in pairs(api_keys) do
    local found = redis.call('HMGET', prefix .. id, 'reserved', 'spent', 'month')
    local spent, month = tonumber(found[2]), tonumber(found[3])
    if month then
      if this_month > month then
        month, spent = this_month, 0
      end
      redis.call('HSET', prefix .. id,
        'reserved', digits(math.max(0, tonumber(found[1]) - sums.freed)),
        'spent', digits(math.max(0, spent + sums.used)), 'month', month)
    end
  end
end

local stopped = {}

local function stop(name)
  stopped[name] = (stopped[name] or 0) + 1
end

-- Call it for a record that was open. The credential is empty if the record was not counted.
local function stop_running(organization, credential, model)
  if credential == '' then
    return
  end
  stop(organization)
  stop(organization .. ':key:' .. credential)
  if model ~= '' then
    stop(organization .. ':model:' .. model)
  end
end

-- A count of 0 is deleted. One that is not there was lost with the server's data: none is below 0.
local function write_running(key)
  local names, ended, left = {}, {}, {}
  for name in pairs(stopped) do
    names[#names + 1] = name
  end
  if #names == 0 then
    return
  end
  local found = redis.call('HMGET', key, unpack(names))
  for n, name in ipairs(names) do
    local count = (tonumber(found[n]) or 0) - stopped[name]
    if count > 0 then
      left[#left + 1] = name
      left[#left + 1] = digits(count)
    else
      ended[#ended + 1] = name
    end
  end
  if #left > 0 then
    redis.call('HSET', key, unpack(left))
  end
  if #ended > 0 then
    redis.call('HDEL', key, unpack(ended))
  end
end

-- A request that is closed as lost leaves in the hash of its hour when it was made, and its sums.
-- When its own process settles it after all, or it is closed again later, that is taken back in the
-- same step, because PostgreSQL keeps one record of each request.
local function lost_before(hour_key, id)
  local text = redis.call('HGET', hour_key, 'lost:' .. id)
  if not text then
    return nil
  end
  local lost = {}
  local numbers = string.gmatch(text, '%d+')
  lost.made = tonumber(numbers())
  for _, name in ipairs(SUMMED) do
    lost[name] = tonumber(numbers())
  end
  return lost
end

local function take_back(hour_key, id, project_id, limits_id, lost)
  redis.call('HDEL', hour_key, 'lost:' .. id)
  local hour = hour_at(hour_key)
  hour.records = hour.records - 1
  for _, name in ipairs(SUMMED) do
    hour[name] = hour[name] - lost[name]
  end
  add_cost(project_id, limits_id, 0, -lost.cost, lost.made)
end
