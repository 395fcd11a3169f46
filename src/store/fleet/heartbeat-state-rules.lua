-- How the state of an engine changes. A part of the heartbeat; `heartbeat-states.lua` stores it.
--
-- A state: state, since, why; out (when it stopped serving); level (ejections, fading), up (when it
-- last came back), tries (checks since it is misconfigured), limit and successes (while it warms
-- up), organizations (with faults), wanted (whether a check is), checking (by which process),
-- probed (when last), from (before the trial), due (when something happens by itself), changed (in
-- this call). All times in ms.

local state_rules = {}
do
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

  local function is_serving(state)
    return state.state == 'ready' or state.state == 'suspect' or state.state == 'warming'
  end

  -- A field that is false is not set: JSON would lose one that is nil.
  local function enter(state, name, why)
    if state.state ~= name then
      state.since = now
      state.changed = true
    end
    state.state, state.why = name, why
    -- Trials in between do not change since when it is out.
    state.out = not is_serving(state) and (state.out or now)
    state.organizations, state.wanted, state.checking = {}, false, false
    state.limit, state.successes, state.due = false, 0, false
  end

  local function add(name, why)
    local state = { level = 0, up = now, tries = 0, probed = false, from = 'ejected' }
    enter(state, name, why)
    return state
  end

  local function keep_out(state, level, why)
    enter(state, 'ejected', why)
    state.level = level
    state.due = now + math.min(EJECTED_MS * level, EJECTED_MS_MAX)
  end

  local function eject(state, why)
    local faded = math.floor(math.max(0, now - state.up) / FADED_MS)
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

  state_rules.handlers = {
    -- An engine that the process has had for a while, and how it is there.
    known = function(state, event)
      if state then
        return state
      end
      local told = event.told
      state = add(told.state == 'trial' and 'ejected' or told.state, told.why)
      state.since, state.up = now - told.ageMs, now - told.ageMs
      state.out = state.out and state.since
      state.level, state.tries, state.limit = told.level, told.tries, told.limit or false
      state.changed = nil
      if not is_serving(state) or state.state == 'suspect' then
        state.due = now + told.leftMs
      end
      return state
    end,
    -- One that joins engines which are in use.
    new = function(state, event)
      if not state then
        state = add('ready', '')
        warm(state, 1, event.slots, 'new')
      end
      return state
    end,
    -- A process has it newly in its configuration: what was wrong may have been mended. A trial may
    -- be the task of a process that does not have the engine, and that will not answer.
    joined = function(state)
      if not is_serving(state) then
        -- The clock may have gone back since the last check.
        local probed = math.min(state.probed or -CHECK_MS, now)
        state.due = math.min(state.due or math.huge, math.max(now, probed + CHECK_MS))
      end
    end,
    -- No other engine of a model serves.
    needed = function(state)
      if state.state == 'warming' then
        enter(state, 'ready', '')
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
        -- The clock may have gone back since the last check.
        local probed = math.min(state.probed or -CHECK_MS, now)
        local due = math.max(now, probed + CHECK_MS)
        -- A check that found no free slot is repeated sooner; further faults do not delay it.
        state.due = math.min(state.due or due, due)
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
      if event.result == 'absent' then
        -- Nobody has checked it: whoever gets it into its configuration need not wait.
        state.probed = false
      elseif state.state == 'trial' then
        end_trial(state, event)
      else
        end_check(state, event)
      end
    end,
  }

  -- What happens by itself. Returns whether the engine has to be checked by this process.
  function state_rules.act(state, is_disabled)
    if is_disabled then
      state.due = now + CHECK_MS
    elseif state.state == 'suspect' and not state.wanted then
      enter(state, 'ready', '')
    else
      if state.state == 'ejected' or state.state == 'misconfigured' then
        state.from = state.state
        enter(state, 'trial', state.why)
      end
      state.checking, state.probed, state.due = process, now, now + CHECKED_MS
      return true
    end
  end

  -- How many may run on it, if not all its slots. One that is out keeps a slot for an attempt,
  -- which is better than a rejection if no other engine serves.
  function state_rules.bound(state)
    return state.limit or not is_serving(state) and 1
  end

  function state_rules.tell(state)
    return {
      state = state.state,
      why = state.why,
      level = state.level,
      tries = state.tries,
      limit = state.limit,
      -- Trials of an engine that is out begin no new age.
      ageMs = math.max(0, now - (state.out or state.since)),
      leftMs = state.due and math.max(0, state.due - now) or 0,
      probedMs = state.probed and math.max(0, now - state.probed),
    }
  end
end
