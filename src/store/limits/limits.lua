-- Admits one request or a batch: compares the organization's version, then checks for each request
-- in order that its API key has not expired, that funds cover its worst case and that it is within
-- the four limits of the organization, the one of the key and the limits of requests that run at
-- once. If so, reserves funds, counts it against all limits and opens its usage record. All keys
-- are in the slot of the organization's partition, so this is one atomic step. The script is this
-- file and, in this order, limits-funds, limits-keys, limits-running and limits-admit.
--
-- KEYS  1 limits   hash: at, request_debt, token_debt, requests_today, tokens_today; for each model
--                  clock:<id>: the virtual time for a model, which settle.lua advances
--       2 version  string: the highest version of the organization seen so far
--       3 open     hash of the partition: request id = usage record
--       4 leases   hash of the partition: process = time of its last heartbeat, in ms
--       5 funds    hash: spent, reserved; for each project: reserved:<id>, and if it ever had a
--                  spending limit spent:<id> in month:<id> (YYYYMM, UTC)
--       6 key:     prefix, followed by an id under which API keys count their limits: hash: at and
--                  debt if it has requests per minute; reserved, and spent in month, if it ever had
--                  a spending limit
--       7 running  hash of the partition: how many records are open of each organization,
--                  <organization>, of each of its credentials, <organization>:key:<credential>,
--                  and of each model, <organization>:model:<model>
-- ARGV  1 version of the caller's identity
--       2 fresh: 1 if that identity was read from PostgreSQL for these requests, else 0
--       3 requests per minute, 4 per day, 5 tokens per minute, 6 per day: each 0 … 10^10
--       7 billing: 0 free of charge, 1 postpaid, 2 prepaid or postpaid within a credit limit (what
--         is granted must cover the worst case)
--       8 granted, with the credit limit, 9 spent as posted to the ledger: micro-units, from the
--         identity
--      10 the calling process
--      11 the organization, 12 the most requests that it, and 13 that one of its credentials, may
--         run at once, or empty
--      14 the number of API keys with limits, then six for each: the id it counts them under, when
--         it expires (ms), requests per minute, spending limit, and its posted spending in a month
--      …  eleven for each request: its tokens (a request always costs one request), its id, its
--         record, the amount it reserves, its project, the project's spending limit, the project's
--         posted spending this month, the number of its API key, 0 if that has no limits, its
--         credential, its model or empty if that is not served, and the most requests for it that
--         the organization may run at once. An empty id opens no record and needs no funds; an
--         empty limit or expiry means none.
-- Returns {0, the stored version or 0} if the identity is stale, else
--   {1, ms until the counted UTC day ends, and for each request eleven integers:
--    violated (0 = admitted; bits 1, 2, 4, 8 = limits in the order of ARGV 3 … 6, 16 = the key's
--      requests per minute, 1024, 2048, 4096 = running requests of the organization, of the
--      credential, of the model; or one of 32 = the balance, 64 = the project's spending limit,
--      128 = the key's, 256 = stale: no funds stored here, 512 = the key has expired),
--    never (1 if a cost is above its limit, so that no wait can help),
--    ms until this request would be admitted without any other request (0 = admitted),
--    requests left this minute, ms until they are full, requests left today,
--    tokens left this minute, ms until they are full, tokens left today,
--    the virtual time of its model, and how many requests of the organization for it are running,
--      with this one if it is admitted; both 0 without a model}
--
-- For a stale or refused request nothing is written but a higher version, a corrected clock and
-- what a fresh identity says the organization, the project and the key have spent.
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
-- of the day wait until the clock has passed it again, and the reported waits include that. If it
-- goes back by more than a minute, it had run ahead: time goes on from now, with all that was used.
-- A month goes back likewise, by more than a day. `utc_month` is in utc-month.lua.

local MINUTE = 60000
local DAY = 86400000
-- Long enough to outlive the counted day, and short enough to forget a clock that ran ahead.
local KEEP = 2 * DAY
-- Long enough for all spending to be posted; after that it is read from PostgreSQL again.
local KEEP_FUNDS = 62 * DAY
local PER_KEY = 6
local PER_REQUEST = 11
local FIRST_KEY = 15
local FIRST = FIRST_KEY + PER_KEY * tonumber(ARGV[14])
-- What a client should wait for another request to end, in ms.
local RUNNING_WAIT = 1000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local version = tonumber(ARGV[1])
local fresh = ARGV[2] == '1'
local stored = tonumber(redis.call('GET', KEYS[2]))
if not fresh and (not stored or stored > version) then
  return { 0, stored or 0 }
end
if not stored or version > stored then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', KEEP)
end

local requests_per_minute, requests_per_day = tonumber(ARGV[3]), tonumber(ARGV[4])
local tokens_per_minute, tokens_per_day = tonumber(ARGV[5]), tonumber(ARGV[6])

-- Lua's own conversion keeps 14 digits; a debt has up to 15.
local function digits(number)
  return string.format('%.0f', number)
end

-- The latest time seen by the debts in this hash.
local function read_latest(key, at)
  local last = tonumber(at) or now
  if last > now + MINUTE then
    last = now
    redis.call('HSET', key, 'at', digits(now))
  end
  return last
end

-- One read of the hash: the limits, then the virtual times of the requested models.
local fields = { 'at', 'request_debt', 'token_debt', 'requests_today', 'tokens_today' }
local clocks = {}
for i = FIRST, #ARGV, PER_REQUEST do
  local model = ARGV[i + 9]
  if model ~= '' and not clocks[model] then
    fields[#fields + 1] = 'clock:' .. model
    clocks[model] = #fields
  end
end
local state = redis.call('HMGET', KEYS[1], unpack(fields))
for model, at_field in pairs(clocks) do
  clocks[model] = tonumber(state[at_field]) or 0
end
local last = read_latest(KEYS[1], state[1])
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
-- Refills begin when the clock is no longer late.
local function check_minute(bit, debt, cost, limit, late)
  if cost > limit then
    never = 1
    violate(bit, until_midnight)
  elseif cost > 0 and debt + cost * MINUTE > limit * MINUTE then
    violate(bit, late + math.ceil((debt + cost * MINUTE - limit * MINUTE) / limit))
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
local function until_full(debt, limit, late)
  if debt == 0 or limit == 0 then
    return 0
  end
  return late + math.ceil(debt / limit)
end
