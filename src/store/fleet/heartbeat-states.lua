-- Decides the state of each engine, once for all processes, and who checks it. A part of the
-- heartbeat.
--
-- {fleet}:states    hash: engine = its state as JSON
-- {fleet}:states-version  string: raised with every change
-- {fleet}:changes   sorted set: engine → the version of its last change
-- {fleet}:due       sorted set: engine → when something must happen to it (ms)
-- {fleet}:checks    hash: engine = process that checks it
-- {fleet}:bounds    hash: engine's name = JSON: engine = how many may run on it, or 0 for all slots
-- {fleet}:capacity  hash: engine's name = the highest of these, unless one of them is 0
-- {fleet}:ordered   hash: engine's name = the order that was applied, of {fleet}:orders
-- {fleet}:ordered-version  string: the version of the orders that were applied
-- {fleet}:used      sorted set: engine → when a process last had it in its configuration (ms)
--
-- An engine is its name, its server and its model, separated by spaces. Several engines may have
-- one name: two models of a server, or an address that was corrected. Slots are leased by name, so
-- one that is out must not lower what another one can run.
-- report.states  version: of the states that it knows
--                engines: all engines of the process, now and then
--                events: { kind, engine, … } since the last heartbeat, see below
--                orders: version of the orders that it knows
-- reply.states   version, engines: engine = state, of those that changed
--                checks: engines that the process has to check
--                changed: engines whose state it changed
--                orders, orders_version: engine's name = order, if there are other ones

on_gone[#on_gone + 1] = function(gone)
  local checks = call('HGETALL', key('checks'))
  for i = 1, #checks, 2 do
    if checks[i + 1] == gone then
      call('ZADD', key('due'), now, checks[i])
    end
  end
end

if report.states then
  local CHECKS_MAX = 8
  -- The longest time until something happens to an engine by itself.
  local DUE_MS_MAX = 60000

  local states = report.states
  local known = {}
  local touched = {}
  local changed = {}

  local function find(engine)
    if known[engine] == nil then
      local stored = call('HGET', key('states'), engine)
      known[engine] = stored and cjson.decode(stored) or false
    end
    return known[engine]
  end

  -- At most half of a pool, and at least one, is ejected for failed checks. Engines that refuse
  -- connections are of no use anyway.
  local function is_needed(event)
    for _, pool in ipairs(event.pools or {}) do
      local ejected = 0
      for _, engine in ipairs(pool) do
        local state = engine ~= event.engine and find(engine)
        local is_out = state and (state.state == 'ejected' or state.state == 'trial')
        ejected = ejected + (is_out and state.why ~= 'refused' and 1 or 0)
      end
      if ejected + 1 > math.max(1, math.floor(#pool / 2)) then
        return true
      end
    end
    return false
  end

  for _, event in ipairs(states.events) do
    local state = find(event.engine)
    if event.kind == 'checked' then
      event.keep = is_needed(event)
    end
    local introduces = event.kind == 'known' or event.kind == 'new'
    if introduces then
      known[event.engine] = state_rules.handlers[event.kind](state, event)
    elseif state then
      state_rules.handlers[event.kind](state, event)
    end
    touched[event.engine] = introduces or state and true or nil
  end

  -- An order decides whether requests are sent to an engine, so its room changes with it.
  local orders_version = call('GET', key('orders-version')) or '0'
  if orders_version ~= (call('GET', key('ordered-version')) or '0') then
    local names = call('HKEYS', key('ordered'))
    local orders = call('HGETALL', key('orders'))
    call('DEL', key('ordered'))
    for i = 1, #orders, 2 do
      names[#names + 1] = orders[i]
      call('HSET', key('ordered'), orders[i], orders[i + 1])
    end
    for _, name in ipairs(names) do
      refresh(name)
    end
    call('SET', key('ordered-version'), orders_version)
  end

  local function name_of(engine)
    return string.match(engine, '^%S+')
  end

  -- `bound`: how many may run on the engine, 0 for all slots, nil if it is forgotten.
  local function set_bound(engine, bound)
    local name = name_of(engine)
    local stored = call('HGET', key('bounds'), name)
    local bounds = stored and cjson.decode(stored) or {}
    bounds[engine] = bound
    local most
    for _, each in pairs(bounds) do
      most = math.max(most or 0, each == 0 and math.huge or each)
    end
    if most then
      call('HSET', key('bounds'), name, cjson.encode(bounds))
    else
      call('HDEL', key('bounds'), name)
    end
    if most and most < math.huge then
      call('HSET', key('capacity'), name, most)
    else
      call('HDEL', key('capacity'), name)
    end
    refresh(name)
  end

  local checks = {}
  local function act(engine, state)
    if state_rules.act(state, call('HGET', key('orders'), name_of(engine)) == 'disabled') then
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
  bring_back('due', DUE_MS_MAX)
  local due = call('ZRANGEBYSCORE', key('due'), '-inf', now, 'LIMIT', 0, CHECKS_MAX)
  for _, engine in ipairs(due) do
    local state = find(engine)
    if not state then
      call('ZREM', key('due'), engine)
    elseif not touched[engine] then
      touched[engine] = true
      act(engine, state)
    end
  end

  local version = tonumber(call('GET', key('states-version'))) or 0
  if next(touched) then
    version = call('INCR', key('states-version'))
  end
  for engine in pairs(touched) do
    local state = known[engine]
    if state.changed then
      changed[#changed + 1] = engine
      state.changed = nil
    end
    call('HSET', key('states'), engine, cjson.encode(state))
    call('ZADD', key('changes'), version, engine)
    call('ZADD', key('used'), 'NX', now, engine)
    if state.due then
      call('ZADD', key('due'), state.due, engine)
    else
      call('ZREM', key('due'), engine)
    end
    if state.checking then
      call('HSET', key('checks'), engine, state.checking)
    else
      call('HDEL', key('checks'), engine)
    end
    set_bound(engine, state_rules.bound(state) or 0)
  end

  if states.engines then
    for _, engine in ipairs(states.engines) do
      call('ZADD', key('used'), now, engine)
    end
    bring_back('used', 0)
    for _, engine in ipairs(call('ZRANGEBYSCORE', key('used'), '-inf', now - UNUSED_MS)) do
      for _, hash in ipairs({ 'states', 'checks' }) do
        call('HDEL', key(hash), engine)
      end
      set_bound(engine, nil)
      for _, set in ipairs({ 'due', 'used', 'changes' }) do
        call('ZREM', key(set), engine)
      end
    end
  end

  -- A process that has seen most changes reads few states, however many engines there are.
  local told = {}
  if version ~= states.version then
    local newer = '(' .. string.format('%.0f', states.version)
    for _, engine in ipairs(call('ZRANGEBYSCORE', key('changes'), newer, '+inf')) do
      local state = find(engine)
      told[engine] = state and state_rules.tell(state) or nil
    end
  end
  reply.states = { version = version, engines = told, checks = checks, changed = changed }
  if states.orders ~= orders_version then
    local orders, ordered = {}, call('HGETALL', key('orders'))
    for i = 1, #ordered, 2 do
      orders[ordered[i]] = ordered[i + 1]
    end
    reply.states.orders, reply.states.orders_version = orders, orders_version
  end
end
