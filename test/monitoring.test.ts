// Rules, their tests, the dashboard and the runbook of deploy/monitoring agree with each other and
// with the metrics of the processes. The proof `alerts` runs them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { ROWS } from '../deploy/monitoring/panels.ts'
import { speedUp } from './prove/alerts/speed-up.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')

type Rule = {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: Readonly<Record<string, string>>
}
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
type Expectation = {
  readonly expr: string
  readonly exp_samples: readonly { readonly labels?: string }[]
}
type RuleTests = {
  readonly tests: readonly { readonly promql_expr_test: readonly Expectation[] }[]
}

const RULES_TEXT = read('deploy/monitoring/headrace.rules.yaml')
const RULES = (parse(RULES_TEXT) as Rules).groups.flatMap(({ rules }) => rules)
const ALERTS = RULES.filter(({ alert }) => alert !== undefined)
const NAMES = ALERTS.map(({ alert = '' }) => alert)
const EXPECTATIONS = (parse(read('deploy/monitoring/headrace.rules.test.yaml')) as RuleTests).tests
  .flatMap(({ promql_expr_test: expectations }) => expectations)
  .filter(({ expr }) => expr.startsWith('ALERTS{') || expr.startsWith('count(ALERTS{'))
const QUERIES = ROWS.flatMap(({ panels }) => panels)
  .flatMap(({ queries }) => queries)
  .map(([expression]) => expression)

/** Whether the selector of a test reads this alert. */
function selects({ expr }: Expectation, name: string): boolean {
  const [, operator, value = ''] = /alertname(=~?)"([^"]+)"/.exec(expr) ?? []
  return operator === '=' ? value === name : new RegExp(`^(?:${value})$`).test(name)
}

function metricsIn(text: string): Set<string> {
  const names = text.match(/\bheadrace_[a-z_]+/g) ?? []
  return new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
}

/** Names of metrics are literals, but those of engines are completed from a prefix. */
function metricsOfSource(): Set<string> {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const texts = sources.map(read)
  const literal = texts.flatMap((text) => [...text.matchAll(/'(headrace_[a-z_]+)'/g)])
  const completed = texts.flatMap((text) => [...text.matchAll(/by(Engine|Model)\(\s*'([a-z_]+)'/g)])
  return new Set([
    ...literal.map(([, name = '']) => name),
    ...completed.map(([, by, name]) => `headrace_${by === 'Engine' ? 'engine' : 'pool'}_${name}`),
  ])
}

describe('every alert', () => {
  for (const { alert: name = '', labels, annotations = {} } of ALERTS) {
    test(`${name} has a severity, a summary, a description and its section in the runbook`, () => {
      assert.match(labels?.severity ?? '', /^(page|ticket)$/)
      assert.ok(annotations['summary'] && annotations['description'])
      const anchor = name.toLowerCase()
      assert.equal(annotations['runbook_url'], `docs/operating/runbook.md#${anchor}`)
    })

    test(`${name} has a case in which it fires and one in which it stays silent`, () => {
      const own = EXPECTATIONS.filter((each) => selects(each, name))
      const fires = own.some(({ exp_samples: samples }) =>
        samples.some(({ labels: text = '' }) =>
          text.includes(`alertname="${name}",alertstate="firing"`),
        ),
      )
      assert.ok(fires, 'no case in which it fires')
      assert.ok(
        own.some(({ exp_samples: samples }) => samples.length === 0),
        'no case in which it stays silent',
      )
    })
  }
})

test('the runbook has one section for each alert, in the order of the rules', () => {
  const headings = [...read('docs/operating/runbook.md').matchAll(/^## (.+)$/gm)]
  assert.deepEqual(
    headings.map(([, heading]) => heading),
    NAMES,
  )
})

test('the documentation states the number of alerts', () => {
  for (const page of ['docs/operating/monitoring.md', 'CHANGELOG.md'])
    assert.match(read(page), new RegExp(`\\b${ALERTS.length} alerts\\b`), page)
})

test('the severity in the runbook is that of the rule', () => {
  const sections = read('docs/operating/runbook.md').split(/^## /m).slice(1)
  const stated = sections.map((section) => /^\w+\n\n\*\*(\w+)\.\*\*/.exec(section)?.[1])
  assert.deepEqual(
    stated,
    ALERTS.map(({ labels }) => labels?.severity),
  )
})

test('every metric in rules, panels and runbook is one of a process', () => {
  const known = metricsOfSource()
  assert.ok(known.size > 20, 'the metrics of the source were found')
  const used = metricsIn([RULES_TEXT, ...QUERIES, read('docs/operating/runbook.md')].join('\n'))
  assert.deepEqual(
    [...used].filter((name) => !known.has(name)),
    [],
  )
})

test('every recorded series is used by an alert or a panel', () => {
  const users = [...ALERTS.map(({ expr }) => expr), ...QUERIES].join('\n')
  const recorded = RULES.flatMap(({ record }) => record ?? [])
  assert.deepEqual(
    recorded.filter((name) => !users.includes(name)),
    [],
  )
})

test('the proof makes durations shorter, and no threshold', () => {
  const rule = ['expr: max(rate(a[5m])) > 60', 'for: 2m', 'keep_firing_for: 1h', 'interval: 30s']
  const faster = [
    'expr: max(rate(a[10000ms])) > 60',
    'for: 4000ms',
    'keep_firing_for: 120000ms',
    'interval: 1000ms',
  ]
  assert.equal(speedUp(rule.join('\n')), faster.join('\n'))
})
