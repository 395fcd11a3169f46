import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { CONTROL_TOKENS } from '../../../test/harness/control-tokens.ts'
import { createNeutralise } from './neutralise.ts'

const OWN = '@@turn@@'
const COMMON = Object.values(CONTROL_TOKENS).flatMap(({ tokens }) => tokens)

describe('no control token survives', () => {
  for (const [family, { tokens, unusual = [] }] of Object.entries(CONTROL_TOKENS))
    test(`of ${family}: common patterns for most, its vocabulary for the rest`, () => {
      const [common, own] = [createNeutralise([]), createNeutralise([...tokens, ...unusual])]
      const survive = (token: string, neutralise: (text: string) => string) =>
        [token, `a${token}b`, `${token}${token}`].some((text) => neutralise(text).includes(token))
      assert.deepEqual(
        tokens.filter((token) => survive(token, common)),
        [],
      )
      assert.deepEqual(
        [...tokens, ...unusual].filter((token) => survive(token, own)),
        [],
      )
    })

  test('in any combination of tokens and parts of tokens', () => {
    const neutralise = createNeutralise([OWN])
    const parts = COMMON.flatMap((token) => [token.slice(0, 2), token.slice(0, -1), token.slice(1)])
    const piece = fc.constantFrom(...COMMON, OWN, ...parts, '<', '|', '>', 'a', '\n', '[')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = neutralise(pieces.join(''))
        for (const token of [...COMMON, OWN]) assert.ok(!text.includes(token), text)
      }),
      { numRuns: 2_000 },
    )
  })

  test('when the template adds its last character, or its first and last', () => {
    const neutralise = createNeutralise(['<role>'])
    for (const token of ['<|im_end|>', '<think>', '[INST]', ']~b]', '<｜User｜>', '<role>']) {
      const [text, last] = [token.slice(0, -1), token.slice(-1)]
      assert.ok(!`x${neutralise(`a${text}`)}${last}`.includes(token), token)
    }
    assert.ok(!`<${neutralise('|im_end|')}>`.includes('<|im_end|>'))
    assert.ok(!`<${neutralise('|im_end|>')}`.includes('<|im_end|>'))
  })
})

test('ordinary text, code and markup are unchanged', () => {
  const neutralise = createNeutralise([])
  const texts = [
    'a < b && c > d',
    'if (x[1]) {}',
    '<div>|</div>',
    'x <- y |> z',
    '| a | b |\n| - | - |',
    'df[~mask][~m]',
    '2026-01-01 [ERROR] [main] failed: [TODO] see [1] and [^2]',
    'Array<[string, number]>, Map<K, V>, Set<[string]>, a<<b, c>>d',
    '<svg><mask id="m"/></svg><xsl:template match="/"/><table><tr><td>1</td></tr></table>',
    '<img src="a.png"/><video controls/><b>bold</b><param name="x"/><function name="f"/>',
    '[link](https://example.com/a_b?c=[d]) [x] [ ] [IMAGE] [SIC]',
    '新闻｜体育｜财经 A｜B｜C',
    'Some(|x| x + 1) [|1; 2|] a || b',
    'std::vector<int> v; f<T>(x); #include <stdio.h> <name@example.com>',
    '🧪',
    '',
  ]
  for (const text of texts) assert.equal(neutralise(text), text)
})

test('only invisible characters are added', () => {
  const neutralise = createNeutralise([OWN])
  for (const token of [...COMMON, OWN])
    assert.equal(neutralise(token).replaceAll('\u200b', ''), token)
})

test('time grows with the length of the text only, with as many tokens as are accepted', () => {
  const many = Array.from({ length: 256 }, (_, index) => `<own${index}x>`)
  const neutralise = createNeutralise(many)
  const cpuMs = (text: string) => {
    const before = process.cpuUsage()
    neutralise(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  const least = (text: string) => Math.min(...Array.from({ length: 5 }, () => cpuMs(text)))
  for (const part of ['<', '<|a', '<own1', '[', ']<]', '｜a', `<${'a'.repeat(64)}`, '|', ' '])
    assert.ok(least(part.repeat(400_000 / part.length)) < 1_000, part)
})
