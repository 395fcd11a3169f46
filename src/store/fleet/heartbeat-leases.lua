-- Leases the slots of engines to processes, so that all together never use more than an engine has.
-- A part of the heartbeat. A process names only the engines whose lease should change.
--
-- {fleet}:slots:<process> hash: engine = slots leased to the process, for each engine that it has
-- {fleet}:users           hash: engine = how many processes have it
-- {fleet}:heads:<pool>    sorted set: process → virtual time of the first that waits there
-- {fleet}:waiting         set: pools that have heads
-- {fleet}:settling        string: until when leases are told again after a loss of data (ms)
--
-- report.leases  whole: whether it holds and asks for nothing but what it says here
--                names: engines; keep: slots of each that it keeps; running: of these, in use;
--                  needs: how many more of each it needs itself. It uses no more than it keeps
--                described: engine = its description (heartbeat-engines.lua), of those named
--                dropped: engines that it has no longer
--                asks: pool = { want, head, places in names of the engines wanted first }
--                done: pools in which nobody waits any longer
-- reply.leases   held: slots of each engine named, in this order
--                more: engine = slots, of others that were granted
--                lowest: pool = the lowest virtual time that waits elsewhere, if one does
--                heads: the same, without pools in which slots were granted to the process now

-- After a loss of data nothing is granted until every process has told what it holds. One that is
-- cut off may start generations in what it holds for 4 s after its last reply.
local SETTLING_MS = SILENT_MS

-- The lists of a report that are empty are left out.
local leases = report.leases
local own = key('slots:' .. process)
if leases and forgotten then
  call('SET', key('settling'), string.format('%.0f', now + SETTLING_MS), 'PX', SETTLING_MS)
end
local settling_ms = leases and (tonumber(call('GET', key('settling'))) or 0) - now or 0
-- A time further ahead was written before the clock went back.
local settling = settling_ms > 0 and settling_ms <= SETTLING_MS

local function end_ask(pool, whose)
  if call('ZREM', key('heads:' .. pool), whose) == 1 then
    if call('EXISTS', key('heads:' .. pool)) == 0 then
      call('SREM', key('waiting'), pool)
    end
  end
end

local function take_back(engine, count)
  if count > 0 then
    if call('HINCRBY', key('leased'), engine, -count) <= 0 then
      call('HDEL', key('leased'), engine)
    end
    moved[engine] = true
  end
end

-- A process has the engine no longer, and gives back its slots.
local function leave(engine, count)
  take_back(engine, count)
  if call('HINCRBY', key('users'), engine, -1) <= 0 then
    call('HDEL', key('users'), engine)
    withdraw(engine)
  end
end

local function take_all_back(whose)
  local held = call('HGETALL', key('slots:' .. whose))
  for i = 1, #held, 2 do
    leave(held[i], tonumber(held[i + 1]))
  end
  call('DEL', key('slots:' .. whose))
end

local function forget_leases(gone)
  take_all_back(gone)
  for _, pool in ipairs(call('SMEMBERS', key('waiting'))) do
    end_ask(pool, gone)
  end
end
on_gone[#on_gone + 1] = forget_leases

-- Engines of this call, by name.
local engines = {}

-- Reads engines, as far as the process has them; those that it names are its own by that.
local function read(names, are_named)
  if #names == 0 then
    return
  end
  local held = call('HMGET', own, unpack(names))
  local leased = call('HMGET', key('leased'), unpack(names))
  local bound = call('HMGET', key('bound'), unpack(names))
  for i, name in ipairs(names) do
    if not engines[name] and (held[i] or are_named) then
      local engine = { name = name, before = tonumber(held[i]) }
      engine.held, engine.total = engine.before or 0, tonumber(leased[i]) or 0
      engine.bound = tonumber(bound[i]) or 0
      engines[name] = engine
    end
  end
end

local function free_of(engine)
  return math.max(0, engine.bound - engine.total)
end

local function grant(engine, count)
  engine.held = engine.held + count
  engine.total = engine.total + count
end

-- What the process keeps of the engines that it names.
local function keep_named()
  read(leases.names, true)
  local serves = call('HMGET', key('serves'), unpack(leases.names))
  for i, name in ipairs(leases.names) do
    local engine, kept = engines[name], leases.keep[i]
    -- What a process held before it was forgotten may be leased to others now.
    if not was_known and not settling then
      kept = leases.running[i]
    end
    grant(engine, kept - engine.held)
    engine.spare = kept - leases.running[i]
    engine.needs = leases.needs and leases.needs[i] or 0
    engine.pools = split(serves[i])
  end
end
