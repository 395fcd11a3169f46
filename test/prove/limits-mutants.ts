// Small errors in the script, each of which the proof of the limits must notice.
import { FUNDS_MUTANTS } from './limits-mutants-funds.ts'
import { mutant, type Mutant } from './mutant.ts'

export const MUTANTS: readonly Mutant[] = [
  mutant('an equal version is stale', 'stored > version)', 'stored >= version)'),
  mutant('a higher version is not stale', '(not stored or stored > version)', 'not stored'),
  mutant(
    'an unknown version is not stale',
    '(not stored or stored > version)',
    '(stored and stored > version)',
  ),
  mutant('a fresh identity can be stale', "ARGV[2] ~= '1' and ", ''),
  mutant('every identity is fresh', "ARGV[2] ~= '1'", "ARGV[2] == 'x'"),
  mutant('a version is lowered', 'version > stored then', 'version ~= stored then'),
  mutant(
    'a higher version is not stored',
    'not stored or version > stored then',
    'not stored then',
  ),
  mutant(
    'an unknown version is not stored',
    'not stored or version > stored then',
    'stored and version > stored then',
  ),
  mutant('a stored version is kept for ever', ", 'PX', KEEP)", ')'),
  mutant('seconds are cut off', 'time[1] * 1000 + math.floor(time[2] / 1000)', 'time[1] * 1000'),
  mutant('milliseconds are rounded up', 'math.floor(time[2] / 1000)', 'math.ceil(time[2] / 1000)'),
  mutant('a clock that goes back counts backwards', 'math.max(now, last)', 'now'),
  mutant('going back is not reported', 'local behind = at - now', 'local behind = 0'),
  mutant(
    'a clock that goes back refills',
    'local elapsed = at - last',
    'local elapsed = math.abs(now - last)',
  ),
  mutant(
    'refills stop after a minute',
    'local elapsed = at - last',
    'local elapsed = math.min(at - last, 60000)',
  ),
  mutant(
    'requests refill at the pace of tokens',
    '- requests_per_minute * elapsed',
    '- tokens_per_minute * elapsed',
  ),
  mutant(
    'tokens refill at the pace of requests',
    '- tokens_per_minute * elapsed',
    '- requests_per_minute * elapsed',
  ),
  mutant(
    'requests are saved beyond the limit',
    'local request_debt = math.max(0, (',
    'local request_debt = math.max(-60000, (',
  ),
  mutant(
    'tokens are saved beyond the limit',
    'local token_debt = math.max(0, (',
    'local token_debt = math.max(-60000, (',
  ),
  mutant(
    'any other day resets',
    'today > math.floor(last / DAY)',
    'math.floor(now / DAY) ~= math.floor(last / DAY)',
  ),
  mutant('the day never changes', 'today > math.floor(last / DAY)', 'false'),
  mutant(
    'the day changes a millisecond late',
    'math.floor(at / DAY)',
    'math.floor((at - 1) / DAY)',
  ),
  mutant('requests of the day are kept at midnight', '  requests_today = 0\n', ''),
  mutant('tokens of the day are kept at midnight', '  tokens_today = 0\n', ''),
  mutant(
    'midnight is counted from the latest moment',
    '(today + 1) * DAY - now',
    '(today + 1) * DAY - at',
  ),
  mutant('midnight is the one before', '(today + 1) * DAY - now', 'today * DAY - now'),
  mutant('the last violation decides the wait', 'math.max(wait, bit_wait)', 'bit_wait'),
  mutant('the shortest wait is told', 'math.max(wait, bit_wait)', 'math.min(wait, bit_wait)'),
  mutant(
    'a cost equal to the minute never passes',
    minuteCheck('cost > limit'),
    minuteCheck('cost >= limit'),
  ),
  mutant(
    'a cost above the minute is said to pass later',
    minuteCheck('cost > limit'),
    minuteCheck('limit == 0'),
  ),
  mutant('what costs nothing is refused for a debt', 'cost > 0 and debt', 'debt'),
  mutant(
    'the last unit of a minute is kept back',
    'debt + cost * MINUTE > limit',
    'debt + cost * MINUTE >= limit',
  ),
  mutant('a minute admits by its debt alone', 'debt + cost * MINUTE > limit', 'debt > limit'),
  mutant('the wait is rounded down', 'behind + math.ceil((debt', 'behind + math.floor((debt'),
  mutant('the wait forgets the clock', 'behind + math.ceil((debt', 'math.ceil((debt'),
  mutant(
    'a cost equal to the day never passes',
    dayCheck('cost > limit'),
    dayCheck('cost >= limit'),
  ),
  mutant('a cost above the day is said to pass later', dayCheck('cost > limit'), dayCheck('false')),
  mutant('what costs nothing is refused for the day', 'cost > 0 and used', 'used'),
  mutant('the last unit of a day is kept back', 'used + cost > limit', 'used + cost >= limit'),
  mutant(
    'remaining is rounded up',
    'math.floor((limit * MINUTE - debt)',
    'math.ceil((limit * MINUTE - debt)',
  ),
  mutant(
    'remaining goes below zero',
    'return math.max(0, math.floor(',
    'return math.max(-1, math.floor(',
  ),
  mutant('a limit of zero fills up', 'debt == 0 or limit == 0', 'debt == 0'),
  mutant('what is full waits for the clock', 'debt == 0 or limit == 0', 'limit == 0'),
  mutant('reset is rounded down', 'math.ceil(debt / limit)', 'math.floor(debt / limit)'),
  mutant(
    'reset forgets the clock',
    'return behind + math.ceil(debt / limit)',
    'return math.ceil(debt / limit)',
  ),
  mutant(
    'requests per minute are not checked',
    '  check_minute(1, request_debt, 1, requests_per_minute)\n',
    '',
  ),
  mutant(
    'requests per day are not checked',
    '  check_day(2, requests_today, 1, requests_per_day)\n',
    '',
  ),
  mutant(
    'tokens per minute are not checked',
    '  check_minute(4, token_debt, tokens, tokens_per_minute)\n',
    '',
  ),
  mutant(
    'tokens per day are not checked',
    '  check_day(8, tokens_today, tokens, tokens_per_day)\n',
    '',
  ),
  mutant('a refusal takes all the same', 'elseif violated == 0 then', 'elseif violated >= 0 then'),
  mutant(
    'a refusal for tokens takes all the same',
    'elseif violated == 0 then',
    'elseif violated % 4 == 0 then',
  ),
  mutant('a request is not taken from the minute', 'request_debt + MINUTE', 'request_debt'),
  mutant('a request is not taken from the day', 'requests_today + 1', 'requests_today'),
  mutant('tokens are not taken from the minute', 'token_debt + tokens * MINUTE', 'token_debt'),
  mutant('tokens are not taken from the day', 'tokens_today + tokens', 'tokens_today'),
  mutant(
    'the record is not opened',
    "redis.call('HSETNX', KEYS[3], id, ARGV[i + 2]) == 0",
    "redis.call('HEXISTS', KEYS[3], id) == 1",
  ),
  mutant('another record is opened', 'id, ARGV[i + 2]) == 0', 'id, ARGV[13]) == 0'),
  mutant(
    'an open record is written over',
    "redis.call('HSETNX', KEYS[3], id, ARGV[i + 2])",
    "redis.call('HSET', KEYS[3], id, ARGV[i + 2])",
  ),
  mutant(
    'what is open already is refused',
    "already_open = redis.call('HEXISTS', KEYS[3], id) == 1",
    'already_open = false',
  ),
  mutant(
    'what is open already takes again',
    'elseif violated == 0 then',
    'end\n  if violated == 0 then',
  ),
  mutant('the lease is not renewed', 'if opened then', 'if false then'),
  mutant('the lease is of a moment that was', 'ARGV[10], digits(now)', 'ARGV[10], digits(at)'),
  mutant(
    'what is left today goes below zero',
    'math.max(0, requests_per_day',
    'math.max(-1, requests_per_day',
  ),
  mutant(
    'tokens left today go below zero',
    'math.max(0, tokens_per_day',
    'math.max(-1, tokens_per_day',
  ),
  mutant('a refusal writes', 'if admitted then', 'if true then'),
  mutant('large numbers lose digits', "string.format('%.0f', number)", 'tostring(number)'),
  mutant('the moment is not moved on', "'at', digits(at)", "'at', digits(last)"),
  mutant('the clock is moved back', "'at', digits(at)", "'at', digits(now)"),
  mutant(
    'the limits are kept for ever',
    "redis.call('PEXPIRE', KEYS[1]",
    "redis.call('PTTL', KEYS[1])--",
  ),
  mutant(
    'the limits are forgotten before they are full',
    'digits(math.max(KEEP, full - behind))',
    'KEEP',
  ),
  mutant('the limits are kept for a minute', 'digits(math.max(KEEP, full - behind))', 'MINUTE'),
  mutant('the clock prolongs what is kept', 'full - behind))', 'full))'),
  mutant(
    'the version is forgotten under use',
    "redis.call('PEXPIRE', KEYS[2], KEEP)",
    "redis.call('PEXPIRE', KEYS[2], MINUTE)",
  ),
  ...FUNDS_MUTANTS,
]

function minuteCheck(condition: string): string {
  return `local function check_minute(bit, debt, cost, limit)\n  if ${condition} then`
}

function dayCheck(condition: string): string {
  return `local function check_day(bit, used, cost, limit)\n  if ${condition} then`
}
