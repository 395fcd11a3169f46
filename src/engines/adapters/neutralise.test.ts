import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { TOKENIZERS } from '../../../test/harness/engines/tokenizers.ts'
import { createNeutralise } from './neutralise.ts'

const OWN = '@@turn@@'

/** Tokens that could be ordinary markup or text: only a vocabulary says that they are tokens. */
const FROM_VOCABULARY = new RegExp(
  [
    // The corpora of MiniMax: <filename>, <commit_msg>, <jupyter_code> …
    '^<(?:reponame|filename|filepath|gh_stars|file_sep|file_content|source_files|repo_struct)>$',
    '^<(?:issue|jupyter|commit|pr|review|empty|add|delete|rename|edit|code|function)_[a-z_]+>$',
    '^<(?:mask|/?bbox|/?role|osagent_mode)>$',
    '^\\[multimodal\\]$|^/nothink$|^PI:[A-Z]+$|^>>[A-Z]+<<$|^\\|{3}[A-Z_]+\\|{3}$',
  ].join('|'),
)
const COMMON = TOKENIZERS.flatMap(({ texts }) =>
  texts.filter((text) => !FROM_VOCABULARY.test(text)),
)

describe('no control token survives', () => {
  for (const { model, texts } of TOKENIZERS)
    test(`of ${model}: common patterns for most, its vocabulary for the rest`, () => {
      const [common, own] = [createNeutralise([]), createNeutralise(texts)]
      const survive = (token: string, neutralise: (text: string) => string) =>
        [token, `a${token}b`, `${token}${token}`].some((text) => neutralise(text).includes(token))
      const surviving = texts.filter((token) => survive(token, common))
      assert.deepEqual(
        surviving,
        texts.filter((token) => FROM_VOCABULARY.test(token)),
      )
      assert.deepEqual(
        texts.filter((token) => survive(token, own)),
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

  test('when the template adds its last character, its first, or both', () => {
    const neutralise = createNeutralise(['<role>', '/nothink'])
    const usual = ['<|im_end|>', '<think>', '[INST]', ']~b]', '<｜User｜>', '<role>', '/nothink']
    for (const token of usual) {
      const [first, last] = [token.slice(0, 1), token.slice(-1)]
      assert.ok(!`x${neutralise(`a${token.slice(0, -1)}`)}${last}`.includes(token), token)
      assert.ok(!`${first}${neutralise(token.slice(1))}`.includes(token), token)
    }
    assert.ok(!`${neutralise('a<turn|')}>`.includes('<turn|>'))
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
    '|0> and |1> are kets',
    'list|>map',
    'function=f&parameter=1',
    'think',
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
