-- Decides the state of each engine, once for all processes, and who checks it. A part of the beat.
--
-- {fleet}:states    hash: engine = its state as JSON
-- {fleet}:states-version  string: raised with every change
-- {fleet}:due       sorted set: engine → when something must happen to it (ms)
-- {fleet}:checks    hash: engine = process that checks it
-- {fleet}:capacity  hash: engine's name = how many may run on it, unless it is ready
-- {fleet}:orders    hash: engine's name = draining or disabled, as operators order it
-- {fleet}:used      sorted set: engine → when a process last had it in its configuration (ms)
--
-- An engine is its name, its server and its model, separated by spaces.
-- report.states  version: of the states that it knows
--                engines: all engines of the process, now and then
--                events: { kind, engine, … } since the last beat, see below
-- reply.states   version, engines: engine = state, of those that changed
--                checks: engines that the process has to check
--                changed: engines whose state it changed
--                orders: engine's name = order

on_gone[#on_gone + 1] = function(gone)
  local checks = redis.call('HGETALL', key('checks'))
  for i = 1, #checks, 2 do
    if checks[i + 1] == gone then
      redis.call('ZADD', key('due'), now, checks[i])
    end
  end
end

if report.states then
  local CHECKS_MAX = 8
  local UNUSED_MS = 3600000

  local states = report.states
  local known = {}
  local touched = {}
  local changed = {}

  local function find(engine)
    if known[engine] == nil then
      local stored = redis.call('HGET', key('states'), engine)
      known[engine] = stored and cjson.decode(stored) or false
    end
    return known[engine]
  end

  for _, event in ipairs(states.events) do
    local state = find(event.engine)
    local introduces = event.kind == 'known' or event.kind == 'new'
    if introduces then
      known[event.engine] = state_rules.handlers[event.kind](state, event)
    elseif state then
      state_rules.handlers[event.kind](state, event)
    end
    touched[event.engine] = introduces or state and true or nil
  end

  local names = redis.call('HGETALL', KEYS[2])
  local orders = {}
  for i = 1, #names, 2 do
    orders[names[i]] = names[i + 1]
  end

  local function name_of(engine)
    return string.match(engine, '^%S+')
  end

  local checks = {}
  local function act(engine, state)
    if state_rules.act(state, orders[name_of(engine)] == 'disabled') then
      checks[#checks + 1] = engine
    end
  end

  -- What this call made due is not yet in the sorted set.
  for engine in pairs(touched) do
    local state = known[engine]
    if state and state.due and state.due <= now then
      act(engine, state)
    end
  end
  local due = redis.call('ZRANGEBYSCORE', key('due'), '-inf', now, 'LIMIT', 0, CHECKS_MAX)
  for _, engine in ipairs(due) do
    local state = find(engine)
    if not state then
      redis.call('ZREM', key('due'), engine)
    elseif not touched[engine] then
      touched[engine] = true
      act(engine, state)
    end
  end

  local version = tonumber(redis.call('GET', key('states-version'))) or 0
  if next(touched) then
    version = redis.call('INCR', key('states-version'))
  end
  for engine in pairs(touched) do
    local state = known[engine]
    state.version = version
    if state.changed then
      changed[#changed + 1] = engine
      state.changed = nil
      redis.call('HDEL', key('capacity'), name_of(engine))
    end
    redis.call('HSET', key('states'), engine, cjson.encode(state))
    redis.call('ZADD', key('used'), 'NX', now, engine)
    if state.due then
      redis.call('ZADD', key('due'), state.due, engine)
    else
      redis.call('ZREM', key('due'), engine)
    end
    if state.checking then
      redis.call('HSET', key('checks'), engine, state.checking)
    else
      redis.call('HDEL', key('checks'), engine)
    end
    local bound = state_rules.bound(state)
    if bound then
      redis.call('HSET', key('capacity'), name_of(engine), bound)
    end
  end

  if states.engines then
    for _, engine in ipairs(states.engines) do
      redis.call('ZADD', key('used'), now, engine)
    end
    for _, engine in ipairs(redis.call('ZRANGEBYSCORE', key('used'), '-inf', now - UNUSED_MS)) do
      for _, hash in ipairs({ 'states', 'checks' }) do
        redis.call('HDEL', key(hash), engine)
      end
      for _, hash in ipairs({ 'capacity', 'found', 'watchers' }) do
        redis.call('HDEL', key(hash), name_of(engine))
      end
      redis.call('ZREM', key('due'), engine)
      redis.call('ZREM', key('used'), engine)
    end
  end

  local told = {}
  if version ~= states.version then
    local stored = redis.call('HGETALL', key('states'))
    for i = 1, #stored, 2 do
      local state = cjson.decode(stored[i + 1])
      if state.version > states.version or touched[stored[i]] then
        told[stored[i]] = state_rules.tell(state)
      end
    end
  end
  reply.states =
    { version = version, engines = told, checks = checks, changed = changed, orders = orders }
end
