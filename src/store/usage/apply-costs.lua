#!lua flags=allow-oom
-- Collects what the end of requests changes in their organization's funds and hourly sums, then
-- writes it at once. Prepended to the scripts that end requests. These may run beyond the server's
-- memory limit, because usage must be recorded; admissions may not, which stops further growth.

-- Reconciliation compares these sums for hours that are over.
local KEEP_HOUR = 3 * 86400

local function digits(number)
  return string.format('%.0f', number)
end

local SUMMED = { 'cost', 'prompt', 'cached', 'completion', 'reasoning' }
local hours = {}

-- Adds a request to the hour of this key; its cost and tokens begin at ARGV[first].
local function add_to_hour(key, first)
  local hour = hours[key]
  if not hour then
    hour = { records = 0, cost = 0, prompt = 0, cached = 0, completion = 0, reasoning = 0 }
    hours[key] = hour
  end
  hour.records = hour.records + 1
  for n, name in ipairs(SUMMED) do
    hour[name] = hour[name] + tonumber(ARGV[first - 1 + n])
  end
end

local function write_hours()
  for key, sums in pairs(hours) do
    for name, number in pairs(sums) do
      if number > 0 then
        redis.call('HINCRBY', key, name, digits(number))
      end
    end
    redis.call('EXPIRE', key, KEEP_HOUR)
  end
end

local cost, freed, priced = 0, 0, false
local projects = {}
local order = {}

-- Adds the cost of a request made in this month (YYYYMM), and frees the amount it had reserved.
local function add_cost(project_id, reserved, used, month)
  if reserved == 0 and used == 0 then
    return
  end
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
  set('spent', tonumber(found[1]) + cost)
  set('reserved', math.max(0, (tonumber(found[2]) or 0) - freed))
  for n, id in ipairs(order) do
    local project = projects[id]
    set('reserved:' .. id, math.max(0, (tonumber(found[3 * n]) or 0) - project.freed))
    local spent, month = tonumber(found[3 * n + 1]), tonumber(found[3 * n + 2])
    if month then
      for _, each in ipairs(project.costs) do
        -- A request counts in the month it was made in, unless a later month has begun.
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
  redis.call('HSET', key, unpack(fields))
end
