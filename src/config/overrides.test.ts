import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, problemsOf } from '../../test/harness/processes/configuration.ts'

test('a variable can set a list of texts, with commas', () => {
  const variable = 'HEADRACE_CONSOLE_API_HEALTH_URLS'
  const { console: settings } = load(MINIMAL, { [variable]: 'http://a:9090, http://b:9090' })
  assert.deepEqual(settings.api_health_urls, ['http://a:9090', 'http://b:9090'])
  const problems = problemsOf(() => load(MINIMAL, { [variable]: 'http://a:9090,nonsense' }))
  assert.equal(problems.length, 1)
  assert.match(problems[0] ?? '', new RegExp(`^${variable} must be `))
})

test('of several similar settings the one with the fewest changes is suggested', () => {
  for (const [typed, meant] of [
    ['requests_per_dya', 'requests_per_day'],
    ['requests_per_minut', 'requests_per_minute'],
    ['token_per_day', 'tokens_per_day'],
  ] as const) {
    const problems = problemsOf(() => load(MINIMAL.replace(meant, typed))).join('\n')
    const suggestion = `${typed} is not a known setting; did you mean ${meant}\\?$`
    assert.match(problems, new RegExp(suggestion, 'm'))
  }
})
