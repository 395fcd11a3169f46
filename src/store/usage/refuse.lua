-- Adds refused requests to the stream of their organization.
--
-- KEYS  1 refused  stream: each entry is a `refusal` as JSON, or how many `more` there were
-- ARGV  1 about how many entries are kept, 2 for how long (ms), 3 how many more were not noted,
--       4 … the refusals

for i = 4, #ARGV do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'refusal', ARGV[i])
end
if ARGV[3] ~= '0' then
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'more', ARGV[3])
end
local oldest = redis.call('TIME')[1] * 1000 - ARGV[2]
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f', oldest))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
