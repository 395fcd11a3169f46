-- Admits one request or a batch: compares the organization's version, then checks for each request
-- in order that funds cover its worst case and that it is within the four limits. If so, reserves
-- funds, counts it against all four limits and opens its usage record. All keys are in the slot of
-- the organization's partition, so this is one atomic step.
--
-- KEYS  1 limits   hash: at, request_debt, token_debt, requests_today, tokens_today
--       2 version  string: the highest version of the organization seen so far
--       3 open     hash of the partition: request id = usage record
--       4 leases   hash of the partition: process = time of its last heartbeat, in ms
--       5 funds    hash: spent, reserved; for each project: reserved:<id>, and if it ever had a
--                  spending limit spent:<id> in month:<id> (YYYYMM, UTC)
-- ARGV  1 version of the caller's identity
--       2 fresh: 1 if that identity was read from PostgreSQL for these requests, else 0
--       3 requests per minute, 4 per day, 5 tokens per minute, 6 per day: each 0 … 10^10
--       7 billing: 0 free of charge, 1 postpaid, 2 prepaid (the balance must cover the worst case)
--       8 granted, 9 spent as posted to the ledger: micro-units, from the identity
--      10 the calling process
--      11 … seven for each request: its tokens (a request always costs one request), its id, its
--         record, the amount it reserves, its project, the project's spending limit, and the
--         project's posted spending this month. An empty id opens no record and needs no funds; an
--         empty limit means none. Without any request the call only raises the version.
-- Returns {0} if the identity is stale, else
--   {1, ms until the counted UTC day ends, and for each request nine integers:
--    violated (0 = admitted; bits 1, 2, 4, 8 = limits in the order of ARGV 3 … 6; or one of
--      16 = the balance, 32 = the project's spending limit, 64 = stale: no funds stored here),
--    never (1 if a cost is above its limit, so that no wait can help),
--    ms until this request would be admitted without any other request (0 = admitted),
--    requests left this minute, ms until they are full, requests left today,
--    tokens left this minute, ms until they are full, tokens left today}
--
-- For a stale or refused request nothing is written except a version above the stored one.
-- A fresh identity is never stale: if its version is below the stored one, it was read from
-- PostgreSQL before the change was confirmed, so the request counts as made before the change.
--
-- A request whose record is already open was admitted by a call whose reply was lost. It is
-- admitted again, whatever the limits are by now, and nothing is counted a second time.
--
-- A debt is the amount missing from a full minute, in 1/60,000 of a request or token: a limit of L
-- per minute refills exactly L units per millisecond, and a plan change keeps the debt. All numbers
-- are integers and all sums below 2^53: debts and limits in units stay within 6 * 10^14. Only
-- limit * elapsed may exceed that; it is then far above any debt, and the result is 0 all the same.
-- A quotient of integers below 2^53 never rounds onto or past an integer that it does not equal, so
-- its floor and ceil are exact.
--
-- A clock that goes back grants nothing: time stops at the latest time seen, refills and the change
-- of the day wait until the clock has passed it again, and the reported waits include that. It does
-- not bring back a project's earlier month either. `utc_month` is in utc-month.lua.

local MINUTE = 60000
local DAY = 86400000
-- Long enough to outlive the counted day, and short enough to forget a clock that ran ahead.
local KEEP = 2 * DAY
-- Long enough for all spending to be posted; after that it is read from PostgreSQL again.
local KEEP_FUNDS = 62 * DAY
local PER_REQUEST = 7
local FIRST = 11

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local version = tonumber(ARGV[1])
local stored = tonumber(redis.call('GET', KEYS[2]))
if ARGV[2] ~= '1' and (not stored or stored > version) then
  return { 0 }
end
if not stored or version > stored then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', KEEP)
end

local requests_per_minute = tonumber(ARGV[3])
local requests_per_day = tonumber(ARGV[4])
local tokens_per_minute = tonumber(ARGV[5])
local tokens_per_day = tonumber(ARGV[6])

local state =
  redis.call('HMGET', KEYS[1], 'at', 'request_debt', 'token_debt', 'requests_today', 'tokens_today')
local last = tonumber(state[1]) or now
local at = math.max(now, last)
local behind = at - now
local elapsed = at - last
local request_debt = math.max(0, (tonumber(state[2]) or 0) - requests_per_minute * elapsed)
local token_debt = math.max(0, (tonumber(state[3]) or 0) - tokens_per_minute * elapsed)
local requests_today = tonumber(state[4]) or 0
local tokens_today = tonumber(state[5]) or 0
local today = math.floor(at / DAY)
if today > math.floor(last / DAY) then
  requests_today = 0
  tokens_today = 0
end
local until_midnight = (today + 1) * DAY - now

-- The result for the current request; reset for each.
local violated, never, wait

local function violate(bit, bit_wait)
  violated = violated + bit
  wait = math.max(wait, bit_wait)
end

-- A limit never rejects a request that costs nothing in it: GET /models passes with any token debt.
local function check_minute(bit, debt, cost, limit)
  if cost > limit then
    never = 1
    violate(bit, until_midnight)
  elseif cost > 0 and debt + cost * MINUTE > limit * MINUTE then
    violate(bit, behind + math.ceil((debt + cost * MINUTE - limit * MINUTE) / limit))
  end
end

local function check_day(bit, used, cost, limit)
  if cost > limit then
    never = 1
    violate(bit, until_midnight)
  elseif cost > 0 and used + cost > limit then
    violate(bit, until_midnight)
  end
end

local function left_this_minute(debt, limit)
  return math.max(0, math.floor((limit * MINUTE - debt) / MINUTE))
end

-- A limit of 0 is always full.
local function until_full(debt, limit)
  if debt == 0 or limit == 0 then
    return 0
  end
  return behind + math.ceil(debt / limit)
end

-- Lua's own conversion keeps 14 digits; a debt has up to 15.
local function digits(number)
  return string.format('%.0f', number)
end

local fresh = ARGV[2] == '1'
local must_cover = ARGV[7] == '2'
local granted = tonumber(ARGV[8])
local posted = tonumber(ARGV[9])
-- Of the organization, and of its projects by id.
local spent, reserved
local projects = {}

-- One read for all requests of the call. Spending is never below what is posted to the ledger.
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
  if fresh then
    spent = math.max(spent or 0, posted)
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

-- Whether a reservation exceeds the amount left.
local function exceeds(left, reserve)
  return left <= 0 or left < reserve
end

-- Checked before the limits; returns 0, 16, 32 or 64 as documented above.
local function check_funds(i)
  local project = projects[ARGV[i + 4]]
  local reserve = tonumber(ARGV[i + 3])
  local limit = tonumber(ARGV[i + 5])
  if not spent then
    return 64
  end
  if limit and not project.month then
    if not fresh then
      return 64
    end
    project.month = utc_month(now)
    project.spent = tonumber(ARGV[i + 6])
  end
  if project.month then
    local month = utc_month(now)
    if month > project.month then
      project.month = month
      project.spent = 0
    end
  end
  if must_cover and exceeds(granted - spent - reserved, reserve) then
    return 16
  end
  if limit and exceeds(limit - project.spent - project.reserved, reserve) then
    return 32
  end
  return 0
end

local reply = { 1, until_midnight }
local admitted, opened, funds_changed = false, false, false
for i = FIRST, #ARGV, PER_REQUEST do
  local tokens = tonumber(ARGV[i])
  local id = ARGV[i + 1]
  local priced = id ~= '' and ARGV[7] ~= '0'
  violated, never, wait = 0, 0, 0
  if priced then
    violated = check_funds(i)
  end
  if violated == 0 then
    check_minute(1, request_debt, 1, requests_per_minute)
    check_day(2, requests_today, 1, requests_per_day)
    check_minute(4, token_debt, tokens, tokens_per_minute)
    check_day(8, tokens_today, tokens, tokens_per_day)
  end
  local already_open = false
  if id ~= '' then
    if violated == 0 then
      already_open = redis.call('HSETNX', KEYS[3], id, ARGV[i + 2]) == 0
      opened = true
    else
      already_open = redis.call('HEXISTS', KEYS[3], id) == 1
    end
  end
  if already_open then
    violated, never, wait = 0, 0, 0
  elseif violated == 0 then
    admitted = true
    request_debt = request_debt + MINUTE
    requests_today = requests_today + 1
    token_debt = token_debt + tokens * MINUTE
    tokens_today = tokens_today + tokens
    if priced then
      local project = projects[ARGV[i + 4]]
      local reserve = tonumber(ARGV[i + 3])
      funds_changed = true
      reserved = reserved + reserve
      project.reserved = project.reserved + reserve
      project.changed = true
    end
  end
  local n = #reply
  reply[n + 1] = violated
  reply[n + 2] = never
  reply[n + 3] = wait
  reply[n + 4] = left_this_minute(request_debt, requests_per_minute)
  reply[n + 5] = until_full(request_debt, requests_per_minute)
  reply[n + 6] = math.max(0, requests_per_day - requests_today)
  reply[n + 7] = left_this_minute(token_debt, tokens_per_minute)
  reply[n + 8] = until_full(token_debt, tokens_per_minute)
  reply[n + 9] = math.max(0, tokens_per_day - tokens_today)
end

if admitted then
  redis.call('HSET', KEYS[1], 'at', digits(at),
    'request_debt', digits(request_debt), 'token_debt', digits(token_debt),
    'requests_today', digits(requests_today), 'tokens_today', digits(tokens_today))
  local full = math.max(
    until_full(request_debt, requests_per_minute), until_full(token_debt, tokens_per_minute))
  redis.call('PEXPIRE', KEYS[1], digits(math.max(KEEP, full - behind)))
  redis.call('PEXPIRE', KEYS[2], KEEP)
end
if opened then
  redis.call('HSET', KEYS[4], ARGV[10], digits(now))
end
if funds_changed then
  local fields = { 'spent', digits(spent), 'reserved', digits(reserved) }
  local function add(name, number)
    fields[#fields + 1] = name
    fields[#fields + 1] = digits(number)
  end
  for id, project in pairs(projects) do
    if project.changed then
      add('reserved:' .. id, project.reserved)
      if project.month then
        add('spent:' .. id, project.spent)
        add('month:' .. id, project.month)
      end
    end
  end
  redis.call('HSET', KEYS[5], unpack(fields))
  redis.call('PEXPIRE', KEYS[5], digits(KEEP_FUNDS))
end
return reply
