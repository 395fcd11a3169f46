-- Grants slots: to asks in the order of heads, for checks, and as spares. The second half of the
-- leases, after `heartbeat-leases.lua`, which describes the report and the reply.

-- Engines that are looked at beyond those that are needed: this process may not have all of them.
local FURTHER = 32

-- Engines of a pool with free slots, those with most first: named ones, whose slots may have come
-- back with this call, and as many others as may be needed.
local function find_room(pool, count)
  local names = call('ZREVRANGE', key('room:' .. pool), 0, count + #leases.names + FURTHER - 1)
  read(names, false)
  for _, name in ipairs(leases.names) do
    for _, each in ipairs(engines[name].pools) do
      if each == pool then
        names[#names + 1] = name
      end
    end
  end
  local found, are_found = {}, {}
  for _, name in ipairs(names) do
    local engine = engines[name]
    if engine and not are_found[name] and free_of(engine) > 0 then
      are_found[name] = true
      found[#found + 1] = engine
    end
  end
  return found
end

-- Pools in which this call granted slots. They may be used whoever waits elsewhere.
local granted = {}

-- One slot of each in turn. Returns how many could not be granted.
local function grant_each(room, count)
  local before
  repeat
    before = count
    for _, engine in ipairs(room) do
      if count > 0 and free_of(engine) > 0 then
        grant(engine, 1)
        count = count - 1
      end
    end
  until count == 0 or count == before
  return count
end

-- Those whose organizations have been served less come first; what is left may be taken. A process
-- that gets all it wants waits for nothing, so that others need not give anything back for it.
local function answer_ask(pool, want, head, places)
  local heads = key('heads:' .. pool)
  local first = string.format('%.0f', head)
  local ahead = call('ZCOUNT', heads, '-inf', '(' .. first)
  local take = settling and 0 or want
  local homes, room = {}, nil
  for i, place in ipairs(places) do
    homes[i] = engines[leases.names[place]]
  end
  -- Each engine with room has a free slot at least, so counting them is mostly enough.
  if take > 0 and ahead > 0 and call('ZCARD', key('room:' .. pool)) < take + ahead then
    room = find_room(pool, take + ahead)
    local free = 0
    for _, engine in ipairs(room) do
      free = free + free_of(engine)
    end
    take = math.min(take, math.max(0, free - ahead))
  end
  local left = take
  for _, home in ipairs(homes) do
    if left > 0 and free_of(home) > 0 then
      grant(home, 1)
      left = left - 1
    end
  end
  if left > 0 then
    left = grant_each(room or find_room(pool, left), left)
  end
  granted[pool] = take > left
  if take - left == want then
    end_ask(pool, process)
  else
    call('ZADD', heads, first, process)
    call('SADD', key('waiting'), pool)
  end
end

local function is_waited_for(engine, waiting)
  for _, pool in ipairs(waiting) do
    for _, own_pool in ipairs(engine.pools) do
      if pool == own_pool then
        return true
      end
    end
  end
  return false
end

-- Half of what is free is divided among the processes; one that is alone gets all of it.
local function grant_spares(engine)
  local available = free_of(engine) + engine.spare
  local target = processes == 1 and engine.bound or math.floor(available / (2 * processes))
  grant(engine, math.min(free_of(engine), math.max(0, target - engine.spare)))
end

local function grant_rest(waiting)
  for _, name in ipairs(leases.names) do
    local engine = engines[name]
    grant(engine, math.min(engine.needs, free_of(engine)))
    if not is_waited_for(engine, waiting) then
      grant_spares(engine)
    end
  end
end

local function write_engines()
  local held, leased, unleased = {}, {}, {}
  for name, engine in pairs(engines) do
    if engine.held ~= engine.before then
      held[#held + 1], held[#held + 2] = name, engine.held
      moved[name] = engine.pools and engine or true
      if not engine.before then
        call('HINCRBY', key('users'), name, 1)
      end
      if engine.total > 0 then
        leased[#leased + 1], leased[#leased + 2] = name, engine.total
      else
        unleased[#unleased + 1] = name
      end
    end
  end
  if #held > 0 then
    call('HSET', own, unpack(held))
  end
  if #leased > 0 then
    call('HSET', key('leased'), unpack(leased))
  end
  if #unleased > 0 then
    call('HDEL', key('leased'), unpack(unleased))
  end
end

-- Returns the pools in which somebody waits.
local function lease_slots()
  if #leases.names > 0 then
    keep_named()
  end
  for pool, ask in pairs(leases.asks or {}) do
    answer_ask(pool, ask[1], ask[2], ask[3])
  end
  local waiting = call('SMEMBERS', key('waiting'))
  if not settling then
    grant_rest(waiting)
  end
  write_engines()
  local held, is_named = {}, {}
  for i, name in ipairs(leases.names) do
    held[i], is_named[name] = engines[name].held, true
  end
  local more = {}
  for name, engine in pairs(engines) do
    if not is_named[name] and engine.held ~= engine.before then
      more[name] = engine.held
    end
  end
  reply.leases = { held = held, more = more, heads = {}, lowest = {} }
  return waiting
end

-- A process that was forgotten first has to say what it holds.
if leases and (leases.whole or not lost) then
  leases.names = leases.names or {}
  if leases.whole then
    forget_leases(process)
  end
  for _, engine in ipairs(leases.dropped or {}) do
    local held = call('HGET', own, engine)
    if held then
      call('HDEL', own, engine)
      leave(engine, tonumber(held))
    end
  end
  describe(leases.described or {})
  for _, pool in ipairs(leases.done or {}) do
    end_ask(pool, process)
  end
  for _, pool in ipairs(lease_slots()) do
    local first = call('ZRANGE', key('heads:' .. pool), 0, 1, 'WITHSCORES')
    local lowest = tonumber(first[first[1] == process and 4 or 2])
    reply.leases.lowest[pool] = lowest
    reply.leases.heads[pool] = not granted[pool] and lowest or nil
  end
end
