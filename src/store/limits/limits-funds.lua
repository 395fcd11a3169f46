-- The funds of the organization and of its projects; the second part of limits.lua.

local must_cover = ARGV[7] == '2'
local granted, posted = tonumber(ARGV[8]), tonumber(ARGV[9])
-- Of the organization, and of its projects by id.
local spent, reserved
local projects = {}
-- Whether they must be written.
local funds_changed = false

-- One read for all requests of the call. Spending is never below what is posted to the ledger. What
-- a fresh identity says was posted is stored even if nothing is admitted, or an organization
-- without a balance would be read from PostgreSQL with every request.
local function read_funds()
  local names = { 'spent', 'reserved' }
  local order = {}
  for i = FIRST, #ARGV, PER_REQUEST do
    local id = ARGV[i + 4]
    if ARGV[i + 1] ~= '' and not projects[id] then
      projects[id] = {}
      order[#order + 1] = id
      names[#names + 1] = 'reserved:' .. id
      names[#names + 1] = 'spent:' .. id
      names[#names + 1] = 'month:' .. id
    end
  end
  if #order == 0 then
    return
  end
  local found = redis.call('HMGET', KEYS[5], unpack(names))
  spent = tonumber(found[1])
  reserved = tonumber(found[2]) or 0
  if fresh and (not spent or posted > spent) then
    spent = posted
    funds_changed = true
  end
  for n, id in ipairs(order) do
    local project = projects[id]
    project.reserved = tonumber(found[3 * n]) or 0
    project.spent = tonumber(found[3 * n + 1])
    project.month = tonumber(found[3 * n + 2])
  end
end

if ARGV[7] ~= '0' then
  read_funds()
end

-- Moves the spending of a month on to the current one.
local function enter_month(spending, key, field)
  if not spending.month then
    return
  end
  local month = utc_month(now)
  if month > spending.month then
    spending.month = month
    spending.spent = 0
  elseif month < spending.month and utc_month(now + DAY) < spending.month then
    spending.month = month
    redis.call('HSET', key, field, month)
  end
end

-- Whether a reservation exceeds the amount left.
local function exceeds(left, reserve)
  return left <= 0 or left < reserve
end

-- Checked before the limits; returns 0 or what is violated. `book` is the key's in limits-keys.lua.
local function check_funds(i, book)
  local project = projects[ARGV[i + 4]]
  local reserve, limit = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 5])
  if not spent then
    return 256
  end
  if limit and not project.month then
    if not fresh then
      return 256
    end
    project.month = utc_month(now)
    project.spent = tonumber(ARGV[i + 6])
    project.changed = true
    funds_changed = true
  end
  if book and book.limit and not book.month then
    return 256
  end
  enter_month(project, KEYS[5], 'month:' .. ARGV[i + 4])
  if must_cover and exceeds(granted - spent - reserved, reserve) then
    return 32
  end
  if limit and exceeds(limit - project.spent - project.reserved, reserve) then
    return 64
  end
  if book and book.limit and exceeds(book.limit - book.spent - book.reserved, reserve) then
    return 128
  end
  return 0
end
