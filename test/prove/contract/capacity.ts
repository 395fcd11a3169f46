import assert from 'node:assert/strict'
import { readError, type Answer } from '../../api/client.ts'
import { expectAccepted, expectError, requestWith, type Rule } from './rule.ts'
import type { World } from './world.ts'

function remaining({ headers }: Answer, dimension: string): number {
  return Number(headers[`x-ratelimit-remaining-${dimension}`])
}

/** Capacity as an answer reports it, without what only time changes. */
function capacityOf({ headers }: Answer): object {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^x-ratelimit-(limit|remaining)-/.test(name)),
  )
}

/** A message of so many bytes, of which four count as one token. */
function tokens(count: number): object {
  return { messages: [{ role: 'user', content: 'abcd'.repeat(count) }] }
}

/** Uses the plan up and gives the answers to what still fits and to what does not. */
async function exhaust({ client, openOrganization }: World, plan: string, change: object = {}) {
  const key = await openOrganization(plan)
  const admitted = [
    await client.chat(requestWith(change), { key }),
    await client.chat(requestWith(change), { key }),
  ]
  const refused = await client.chat(requestWith(change), { key })
  return { key, admitted, refused }
}

/** The plans that hold two requests of this kind, by the limit that they meet. */
const PLANS = [
  { plan: 'two-a-minute', change: {}, daily: false },
  { plan: 'two-a-day', change: {}, daily: true },
  { plan: 'tokens-a-minute', change: tokens(15), daily: false },
  { plan: 'tokens-a-day', change: tokens(15), daily: true },
] as const

const REFUSALS: readonly Rule[] = PLANS.flatMap(({ plan, change, daily }): Rule[] => [
  {
    id: `429/${plan}`,
    name: `${plan}: what fits is admitted, the next is rate_limit_exceeded`,
    async check(world) {
      const { admitted, refused } = await exhaust(world, plan, change)
      for (const answer of admitted) expectAccepted(answer)
      expectError(refused, 'rate_limit_exceeded', null)
    },
  },
  {
    id: `429/${plan}-retry-after`,
    name: `${plan}: Retry-After is whole seconds, at least one, and the true delay`,
    async check(world) {
      const { refused } = await exhaust(world, plan, change)
      const seconds = refused.headers['retry-after'] ?? ''
      assert.match(seconds, /^[1-9]\d*$/)
      const dayMs = 86_400_000
      const midnight = (dayMs - (Date.now() % dayMs)) / 1000
      const expected = daily ? midnight : 30
      assert.ok(Math.abs(Number(seconds) - expected) <= 2, `${seconds} for ${expected}`)
    },
  },
  {
    id: `429/${plan}-message`,
    name: `${plan}: the message speaks of the rate limit${daily ? ' and of 00:00 UTC' : ''}`,
    async check(world) {
      const { message } = readError((await exhaust(world, plan, change)).refused)
      assert.match(message, /rate limit/)
      assert.doesNotMatch(message, /too many tokens/i)
      assert.equal(/00:00 UTC/.test(message), daily)
    },
  },
  {
    id: `429/${plan}-retry`,
    name: `${plan}: clients are ${daily ? 'told not to' : 'left to'} retry`,
    async check(world) {
      const { refused } = await exhaust(world, plan, change)
      assert.equal(refused.headers['x-should-retry'], daily ? 'false' : undefined)
    },
  },
  {
    id: `429/${plan}-uses-nothing`,
    name: `${plan}: a refusal uses nothing in any dimension`,
    async check(world) {
      const { key, refused } = await exhaust(world, plan, change)
      const again = await world.client.chat(requestWith(change), { key })
      const before = capacityOf(refused) as Record<string, string>
      const after = capacityOf(again) as Record<string, string>
      for (const name in before)
        assert.ok(Number(after[name]) >= Number(before[name]), `${name} fell`)
    },
  },
])

const REPORTS: readonly Rule[] = [
  {
    id: 'capacity/limits',
    name: 'the limits of the plan are reported, each under its name',
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand')
      const { headers } = await client.chat(requestWith({}), { key })
      const limits = ['requests', 'requests-day', 'tokens', 'tokens-day'].map(
        (name) => headers[`x-ratelimit-limit-${name}`],
      )
      assert.deepEqual(limits, ['1000', '2000', '3000', '4000'])
    },
  },
  {
    id: 'capacity/overrides',
    name: "an organization's own limits stand in place of its plan's",
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand', { limits: { requestsPerDay: 77 } })
      const { headers } = await client.chat(requestWith({}), { key })
      assert.equal(headers['x-ratelimit-limit-requests-day'], '77')
    },
  },
  {
    id: 'capacity/falls',
    name: 'remaining falls by one request and by the input that was estimated',
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand')
      const first = await client.chat(requestWith(tokens(20)), { key })
      assert.equal(remaining(first, 'requests-day'), 1999)
      assert.equal(remaining(first, 'tokens-day'), 3980)
      assert.equal(remaining(first, 'tokens'), 2980)
      const second = await client.chat(requestWith(tokens(50)), { key })
      assert.equal(remaining(second, 'requests-day'), 1998)
      assert.equal(remaining(second, 'tokens-day'), 3930)
    },
  },
  {
    id: 'capacity/admission-not-usage',
    name: 'tokens are counted by the input at admission, not by the final usage',
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand')
      const change = { ...tokens(10), max_completion_tokens: 20 }
      await client.chat(requestWith(change), { key })
      const { headers } = await client.chat(requestWith(change), { key })
      assert.equal(headers['x-ratelimit-remaining-tokens-day'], '3980')
    },
  },
  {
    id: 'capacity/models',
    name: 'listing models uses a request and no tokens',
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand')
      const list = await client.get('/models', { key })
      assert.equal(remaining(list, 'requests-day'), 1999)
      const chat = await client.chat(requestWith(tokens(10)), { key })
      assert.equal(remaining(chat, 'tokens-day'), 3990)
      assert.equal(remaining(chat, 'requests-day'), 1998)
    },
  },
  {
    id: 'capacity/refills',
    name: 'the reset of a minute is the time to full at the rate of the limit',
    async check({ client, openOrganization }) {
      const key = await openOrganization('thousand')
      const { headers } = await client.chat(requestWith({}), { key })
      assert.ok(Number.parseFloat(headers['x-ratelimit-reset-requests'] ?? '') <= 0.06)
    },
  },
  ...(['unparsable', 'of another type', 'too large', 'invalid', 'without a model'] as const).map(
    (what): Rule => ({
      id: `capacity/counts-${what.replaceAll(' ', '-')}`,
      name: `a body that is ${what} is admitted as one request`,
      async check({ client, openOrganization }) {
        const key = await openOrganization('thousand')
        const sent = {
          unparsable: { body: '{' },
          'of another type': { headers: { 'content-type': 'text/plain' } },
          'too large': { body: JSON.stringify(requestWith({ user: 'x'.repeat(200_000) })) },
          invalid: { body: '{"temperature":9}' },
          'without a model': { body: JSON.stringify(requestWith({ model: 'no/such' })) },
        }[what]
        const answer = await client.chat(requestWith({}), { key, ...sent })
        assert.ok(answer.status >= 400 && answer.status < 500)
        assert.equal(remaining(answer, 'requests-day'), 1999)
        if (what !== 'without a model') assert.equal(remaining(answer, 'tokens-day'), 4000)
      },
    }),
  ),
  {
    id: 'capacity/never',
    name: 'a request that alone costs more than a limit is told so, and not to retry',
    async check({ client, openOrganization }) {
      const key = await openOrganization('tokens-a-minute')
      const answer = await client.chat(requestWith(tokens(31)), { key })
      expectError(answer, 'rate_limit_exceeded', null)
      assert.match(readError(answer).message, /rate limit.*alone/)
      assert.equal(answer.headers['x-should-retry'], 'false')
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
      assert.equal(remaining(answer, 'requests-day'), 1_000_000)
    },
  },
  {
    id: 'capacity/429-before-400',
    name: 'a request beyond the limit is 429 whatever its body',
    async check({ client, openOrganization }) {
      const key = await openOrganization('two-a-day')
      for (const status of [400, 400, 429])
        assert.equal((await client.chat({}, { key })).status, status)
    },
  },
  {
    id: 'capacity/429-models',
    name: 'listing and retrieving models is limited too, and so is an unknown endpoint',
    async check({ client, openOrganization }) {
      const key = await openOrganization('two-a-day')
      assert.equal((await client.get('/models', { key })).status, 200)
      assert.equal((await client.get('/nothing', { key })).status, 404)
      for (const path of ['/models', '/models/headrace/pebble', '/nothing'])
        expectError(await client.get(path, { key }), 'rate_limit_exceeded', null)
    },
  },
  {
    id: 'capacity/per-organization',
    name: 'the use of one organization takes nothing from another',
    async check(world) {
      await exhaust(world, 'two-a-day')
      const key = await world.openOrganization('two-a-day')
      expectAccepted(await world.client.chat(requestWith({}), { key }))
    },
  },
]

export const CAPACITY: readonly Rule[] = [...REFUSALS, ...REPORTS]
