-- Decides the state of each engine, once for all processes, and who checks it. A part of the beat.
-- `engines/fleet/engine-states.ts` does the same in memory; a test compares the two.
--
-- {fleet}:states    hash: engine = its state as JSON
-- {fleet}:states-version  string: raised with every change
-- {fleet}:due       sorted set: engine → when something must happen to it (ms)
-- {fleet}:checks    hash: engine = process that checks it
-- {fleet}:capacity  hash: engine's name = how many may run on it while it warms up
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
  local EJECTED_MS, EJECTED_MS_MAX = 5000, 60000
  -- After so long without an ejection the next one is shorter.
  local FADED_MS = 60000
  -- Until the next trial of an engine that refused the last one, which costs nothing.
  local REFUSED_MS = 2000
  local MISCONFIGURED_MS_MAX = 30000
  -- Faults of requests are forgotten after this time.
  local SUSPECT_MS = 60000
  -- The shortest time between two checks that requests cause.
  local CHECK_MS = 5000
  -- Another process checks if there is no result.
  local CHECKED_MS = 35000
  local BUSY_MS = 1000
  local FAULTS_MAX, ORGANIZATIONS_MAX = 3, 2
  local SUCCESSES = 5
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

  -- A field that is false is not set: JSON would lose one that is nil.
  local function enter(state, name, why)
    if state.state ~= name then
      state.since = now
      changed[state.engine] = true
    end
    state.state, state.why = name, why
    state.organizations, state.wanted, state.checking = {}, false, false
    state.limit, state.successes, state.due = false, 0, false
  end

  local function add(engine, name, why)
    local state = { engine = engine, level = 0, up = now, tries = 0, probed = false, from = 'ejected' }
    enter(state, name, why)
    known[engine] = state
    return state
  end

  local function is_serving(state)
    return state.state == 'ready' or state.state == 'suspect' or state.state == 'warming'
  end

  local function keep_out(state, level, why)
    enter(state, 'ejected', why)
    state.level = level
    state.due = now + math.min(EJECTED_MS * level, EJECTED_MS_MAX)
  end

  local function eject(state, why)
    local faded = math.floor((now - state.up) / FADED_MS)
    keep_out(state, math.max(0, state.level - faded) + 1, why)
  end

  local function misconfigure(state, why)
    enter(state, 'misconfigured', why)
    state.tries = state.tries + 1
    state.due = now + math.min(CHECK_MS * state.tries, MISCONFIGURED_MS_MAX)
  end

  local function warm(state, limit, slots, why)
    if limit >= slots then
      enter(state, 'ready', '')
    else
      enter(state, 'warming', why)
      state.limit = limit
    end
  end

  local function count_fault(state, organization)
    local organizations, count = state.organizations, 0
    for _ in pairs(organizations) do
      count = count + 1
    end
    if organizations[organization] or count < ORGANIZATIONS_MAX then
      organizations[organization] = (organizations[organization] or 0) + 1
      count = organizations[organization] == 1 and count + 1 or count
    end
    return count >= ORGANIZATIONS_MAX or (organizations[organization] or 0) >= FAULTS_MAX
  end

  local function end_trial(state, event)
    if event.result == 'passed' then
      state.up, state.tries = now, 0
      warm(state, math.max(1, event.running), event.slots, 'trial passed')
    elseif event.result == 'busy' then
      enter(state, state.from, state.why)
      state.due = now + BUSY_MS
    elseif event.result == 'refused' then
      keep_out(state, math.max(1, state.level), event.why)
      state.due = now + REFUSED_MS
    elseif event.result == 'misconfigured' then
      misconfigure(state, event.why)
    else
      keep_out(state, state.level + 1, event.why)
    end
  end

  local function end_check(state, event)
    if event.result == 'passed' and state.state == 'suspect' then
      enter(state, 'ready', '')
    elseif event.result == 'passed' or event.result == 'failed' and event.keep then
      state.organizations, state.wanted, state.due = {}, false, false
      if state.state == 'suspect' then
        state.why, state.due = event.why, now + SUSPECT_MS
      end
    elseif event.result == 'busy' then
      state.due = now + BUSY_MS
    elseif event.result == 'misconfigured' then
      misconfigure(state, event.why)
    else
      eject(state, event.why)
    end
  end

  local handlers = {
    -- An engine that the process has had for a while, and how it is there.
    known = function(state, event)
      if not state then
        local told = event.told
        state = add(event.engine, told.state, told.why)
        state.since, state.up = now - told.ageMs, now - told.ageMs
        state.level, state.tries, state.limit = told.level, told.tries, told.limit or false
        changed[event.engine] = nil
        if state.state == 'trial' then
          state.state = 'ejected'
        end
        if not is_serving(state) or state.state == 'suspect' then
          state.due = now + told.leftMs
        end
      end
    end,
    -- One that joins engines which are in use.
    new = function(state, event)
      if not state then
        warm(add(event.engine, 'ready', ''), 1, event.slots, 'new')
      end
    end,
    refused = function(state, event)
      if is_serving(state) then
        eject(state, event.why)
      end
    end,
    misconfigured = function(state, event)
      if is_serving(state) then
        misconfigure(state, event.why)
      end
    end,
    fault = function(state, event)
      if not is_serving(state) then
        return
      end
      if state.state == 'ready' then
        enter(state, 'suspect', event.why)
      end
      state.successes = 0
      state.wanted = count_fault(state, event.organization) or state.wanted
      if state.checking then
        return
      end
      if state.wanted then
        state.due = math.max(now, (state.probed or -CHECK_MS) + CHECK_MS)
      elseif state.state == 'suspect' then
        state.due = now + SUSPECT_MS
      end
    end,
    succeeded = function(state, event)
      if state.state ~= 'warming' then
        return
      end
      state.successes = state.successes + event.count
      if state.successes >= SUCCESSES then
        state.successes = 0
        state.limit = state.limit * 2
        if state.limit >= event.slots then
          enter(state, 'ready', '')
        end
      end
    end,
    checked = function(state, event)
      if state.checking ~= process then
        return
      end
      state.checking = false
      if state.state == 'trial' then
        end_trial(state, event)
      else
        end_check(state, event)
      end
    end,
  }

  for _, event in ipairs(states.events) do
    local introduces = event.kind == 'known' or event.kind == 'new'
    local state = find(event.engine)
    if introduces or state then
      handlers[event.kind](state, event)
      touched[event.engine] = true
    end
  end

  local names = redis.call('HGETALL', key('orders'))
  local orders = {}
  for i = 1, #names, 2 do
    orders[names[i]] = names[i + 1]
  end

  local function name_of(engine)
    return string.match(engine, '^%S+')
  end

  local checks = {}
  local function act(engine, state)
    if orders[name_of(engine)] == 'disabled' then
      state.due = now + CHECK_MS
    elseif state.state == 'suspect' and not state.wanted then
      enter(state, 'ready', '')
    else
      if state.state == 'ejected' or state.state == 'misconfigured' then
        state.from = state.state
        enter(state, 'trial', state.why)
      end
      state.checking, state.probed, state.due = process, now, now + CHECKED_MS
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
    if state.limit then
      redis.call('HSET', key('capacity'), name_of(engine), state.limit)
    elseif changed[engine] then
      redis.call('HDEL', key('capacity'), name_of(engine))
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
      redis.call('HDEL', key('capacity'), name_of(engine))
      redis.call('ZREM', key('due'), engine)
      redis.call('ZREM', key('used'), engine)
    end
  end

  local function tell(state)
    return {
      state = state.state,
      why = state.why,
      level = state.level,
      tries = state.tries,
      limit = state.limit,
      ageMs = now - state.since,
      leftMs = state.due and math.max(0, state.due - now) or 0,
      probedMs = state.probed and now - state.probed,
    }
  end

  local told = {}
  if version ~= states.version then
    local stored = redis.call('HGETALL', key('states'))
    for i = 1, #stored, 2 do
      local state = cjson.decode(stored[i + 1])
      if state.version > states.version or touched[stored[i]] then
        told[stored[i]] = tell(state)
      end
    end
  end
  local names_changed = {}
  for engine in pairs(changed) do
    names_changed[#names_changed + 1] = engine
  end
  reply.states =
    { version = version, engines = told, checks = checks, changed = names_changed, orders = orders }
end
