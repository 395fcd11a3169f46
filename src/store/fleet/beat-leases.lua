-- Leases the slots of engines to processes, so that all together never use more than an engine has.
-- A part of the beat.
--
-- {fleet}:leased          hash: engine = slots leased to all processes
-- {fleet}:slots:<process> hash: engine = slots leased to this one
-- {fleet}:found, {fleet}:capacity  hashes: engine = upper bounds besides its configured slots
-- {fleet}:heads:<pool>    sorted set: process → clock of the first that waits there
-- {fleet}:waiting         set: pools that have heads
-- {fleet}:asks:<process>  set: pools in whose heads the process is
-- {fleet}:active:<pool>   sorted set: the two organizations active last → when
-- {fleet}:running:<pool>  hash: organization = what it runs in all processes, if it runs much
-- {fleet}:runs:<process>  hash: pool, a space, organization = what it runs there, as told
-- {fleet}:present:<pool>  string: the highest clock of a request that was started
-- {fleet}:settling        string: until when leases are told again after a loss of data (ms)
--
-- report.leases  keep: engine = { slots it keeps, slots it runs, configured slots, pool, how many
--                  more it needs itself }, of those with something to tell. It no longer uses more
--                  than it keeps.
--                dropped: engines that it has no longer
--                asks: pool = { want, head, homes = engines wanted first, engines = all usable }
--                done: pools in which nobody waits any longer
--                pools: those whose present and activity it wants to know
--                active: pool = { organization, … } active since the last beat
--                present: pool = highest clock of a request that it started
--                running: pool = { organization = what it runs here }, of those that run much
-- reply.leases   engines: engine = { held, spares it may keep, capacity, free for all, how many it
--                  gives back as its generations end }
--                lowest: pool = the lowest clock that waits elsewhere, for each in which one does
--                heads: the same, without pools in which slots were granted to the process now
--                pools: pool = { present, organization, ms, organization, ms }
--                running: pool = { organization = what it runs in all processes }, as asked

-- After a loss of data nothing is granted until every process has told what it holds. One that is
-- cut off may start generations in what it holds for 4 s after its last reply.
local SETTLING_MS = SILENT_MS
local ACTIVE_MS = 600000
local leases = report.leases
if leases and forgotten then
  redis.call('SET', key('settling'), string.format('%.0f', now + SETTLING_MS), 'PX', SETTLING_MS)
end
local settling_ms = leases and (tonumber(redis.call('GET', key('settling'))) or 0) - now or 0
-- A time further ahead was written before the clock went back.
local settling = settling_ms > 0 and settling_ms <= SETTLING_MS

local function number_of(value, default)
  return tonumber(value) or default
end

local function end_ask(pool, whose)
  redis.call('ZREM', key('heads:' .. pool), whose)
  redis.call('SREM', key('asks:' .. whose), pool)
  if redis.call('EXISTS', key('heads:' .. pool)) == 0 then
    redis.call('SREM', key('waiting'), pool)
  end
end

local function take_back(engine, count)
  if redis.call('HINCRBY', key('leased'), engine, -count) <= 0 then
    redis.call('HDEL', key('leased'), engine)
  end
end

on_gone[#on_gone + 1] = function(gone)
  local held = redis.call('HGETALL', key('slots:' .. gone))
  for i = 1, #held, 2 do
    take_back(held[i], tonumber(held[i + 1]))
  end
  for _, pool in ipairs(redis.call('SMEMBERS', key('asks:' .. gone))) do
    end_ask(pool, gone)
  end
  redis.call('DEL', key('slots:' .. gone))
end

-- What the process keeps, and what is free of each engine it told about.
local function read_engines(names)
  local engines = {}
  local held = redis.call('HMGET', key('slots:' .. process), unpack(names))
  local leased = redis.call('HMGET', key('leased'), unpack(names))
  local found = redis.call('HMGET', key('found'), unpack(names))
  local capacity = redis.call('HMGET', key('capacity'), unpack(names))
  for i, name in ipairs(names) do
    local keep, running, slots, pool, needs = unpack(leases.keep[name])
    -- What a process held before it was forgotten may be leased to others now.
    if not was_known and not settling then
      keep = running
    end
    local total = number_of(leased[i], 0) - number_of(held[i], 0) + keep
    local bound = math.min(slots, number_of(found[i], slots), number_of(capacity[i], slots))
    local engine = { held = keep, spare = keep - running, needs = needs, pool = pool }
    engine.total, engine.bound = total, bound
    engines[name] = engine
  end
  return engines
end

local function free_of(engine)
  return math.max(0, engine.bound - engine.total)
end

-- The part of this process in what is leased beyond the capacity, since that was lowered.
local function owed_of(engine)
  local excess = math.max(0, engine.total - engine.bound)
  return excess > 0 and math.ceil(excess * engine.held / engine.total) or 0
end

local function grant(engine, count)
  engine.held = engine.held + count
  engine.total = engine.total + count
end

-- Pools in which this beat granted slots. They may be used whoever waits elsewhere.
local granted = {}

-- Those whose organizations have been served less come first; what is left may be taken. A process
-- that gets all it wants waits for nothing, so that others need not give anything back for it.
local function answer_ask(engines, pool, ask)
  redis.call('ZADD', key('heads:' .. pool), string.format('%.0f', ask.head), process)
  redis.call('SADD', key('asks:' .. process), pool)
  redis.call('SADD', key('waiting'), pool)
  local free = 0
  for _, name in ipairs(ask.engines) do
    free = free + free_of(engines[name])
  end
  local ahead = redis.call('ZRANK', key('heads:' .. pool), process)
  local take = math.min(ask.want, math.max(0, free - ahead))
  granted[pool] = take > 0
  if take == ask.want then
    end_ask(pool, process)
  end
  for _, home in ipairs(ask.homes) do
    if take > 0 and engines[home] and free_of(engines[home]) > 0 then
      grant(engines[home], 1)
      take = take - 1
    end
  end
  while take > 0 do
    local best
    for _, name in ipairs(ask.engines) do
      if not best or free_of(engines[name]) > free_of(best) then
        best = engines[name]
      end
    end
    grant(best, 1)
    take = take - 1
  end
end

-- Half of what is free is divided among the processes; one that is alone gets all of it.
local function grant_spares(engine, processes)
  engine.target = 0
  if redis.call('EXISTS', key('heads:' .. engine.pool)) == 1 then
    return
  end
  local available = free_of(engine) + engine.spare
  engine.target = processes == 1 and engine.bound or math.floor(available / (2 * processes))
  grant(engine, math.min(free_of(engine), math.max(0, engine.target - engine.spare)))
end

local function tell_activity(pool, organizations)
  for _, organization in ipairs(organizations) do
    redis.call('ZADD', key('active:' .. pool), now, organization)
  end
  redis.call('ZREMRANGEBYRANK', key('active:' .. pool), 0, -3)
  redis.call('PEXPIRE', key('active:' .. pool), ACTIVE_MS)
end

local function tell_present(pool, present)
  if present > number_of(redis.call('GET', key('present:' .. pool)), 0) then
    redis.call('SET', key('present:' .. pool), string.format('%.0f', present), 'PX', 2 * 86400000)
  end
end

local function head_elsewhere(pool)
  local first = redis.call('ZRANGE', key('heads:' .. pool), 0, 1, 'WITHSCORES')
  local lowest = first[first[1] == process and 4 or 2]
  return lowest and tonumber(lowest)
end

local function describe_pool(pool)
  local described = { number_of(redis.call('GET', key('present:' .. pool)), 0) }
  local active = redis.call('ZRANGE', key('active:' .. pool), 0, -1, 'WITHSCORES')
  for i = 1, #active, 2 do
    described[#described + 1] = active[i]
    described[#described + 1] = math.max(0, now - tonumber(active[i + 1]))
  end
  return described
end

local function change_running(pool, organization, count, whose)
  local field = pool .. ' ' .. organization
  local before = number_of(redis.call('HGET', key('runs:' .. whose), field), 0)
  local total = redis.call('HINCRBY', key('running:' .. pool), organization, count - before)
  if total <= 0 then
    redis.call('HDEL', key('running:' .. pool), organization)
  end
  if count == 0 then
    redis.call('HDEL', key('runs:' .. whose), field)
  else
    redis.call('HSET', key('runs:' .. whose), field, count)
  end
  return total
end

on_gone[#on_gone + 1] = function(gone)
  for _, field in ipairs(redis.call('HKEYS', key('runs:' .. gone))) do
    local at = string.find(field, ' ', 1, true)
    change_running(string.sub(field, 1, at - 1), string.sub(field, at + 1), 0, gone)
  end
end

local function write_count(hash, name, count)
  if count == 0 then
    redis.call('HDEL', key(hash), name)
  else
    redis.call('HSET', key(hash), name, count)
  end
end

local function lease(names, processes)
  local engines = read_engines(names)
  for pool, ask in pairs(leases.asks) do
    if settling then
      ask.want = 0
    end
    answer_ask(engines, pool, ask)
  end
  reply.leases.engines = {}
  for name, engine in pairs(engines) do
    if settling then
      engine.target = engine.spare
    else
      grant(engine, math.min(engine.needs, free_of(engine)))
      grant_spares(engine, processes)
    end
    write_count('slots:' .. process, name, engine.held)
    write_count('leased', name, engine.total)
    reply.leases.engines[name] =
      { engine.held, engine.target, engine.bound, free_of(engine), owed_of(engine) }
  end
end

if leases then
  reply.leases = {}
  for _, engine in ipairs(leases.dropped) do
    local held = redis.call('HGET', key('slots:' .. process), engine)
    if held then
      take_back(engine, tonumber(held))
      redis.call('HDEL', key('slots:' .. process), engine)
    end
  end
  for _, pool in ipairs(leases.done) do
    end_ask(pool, process)
  end
  for pool, organizations in pairs(leases.active) do
    tell_activity(pool, organizations)
  end
  for pool, present in pairs(leases.present) do
    tell_present(pool, present)
  end
  local names = {}
  for name in pairs(leases.keep) do
    names[#names + 1] = name
  end
  local processes = redis.call('ZCARD', key('processes')) + (was_known and 0 or 1)
  if #names > 0 then
    lease(names, processes)
  end
  reply.leases.running = {}
  for pool, organizations in pairs(leases.running) do
    local totals = {}
    for organization, count in pairs(organizations) do
      totals[organization] = change_running(pool, organization, count, process)
    end
    reply.leases.running[pool] = totals
  end
  reply.leases.heads, reply.leases.lowest = {}, {}
  for _, pool in ipairs(redis.call('SMEMBERS', key('waiting'))) do
    local lowest = head_elsewhere(pool)
    reply.leases.lowest[pool] = lowest
    reply.leases.heads[pool] = not granted[pool] and lowest or nil
  end
  reply.leases.pools = {}
  for _, pool in ipairs(leases.pools) do
    reply.leases.pools[pool] = describe_pool(pool)
  end
end
