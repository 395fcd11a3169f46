import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLanguage } from './choose-language.ts'

const ALL = ['en', 'de', 'zh-CN'] as const
const CASES = [
  [{}, 'en'],
  [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  [{ 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8,de;q=0.7' }, 'en'],
  [{ 'accept-language': 'en;q=0.5, de;q=0.9' }, 'de'],
  [{ 'accept-language': 'de;q=0, en' }, 'en'],
  [{ 'accept-language': 'zh' }, 'zh-CN'],
  [{ 'accept-language': 'zh-SG' }, 'zh-CN'],
  [{ 'accept-language': 'zh-TW, de;q=0.5' }, 'de'],
  [{ 'accept-language': '*, ;;, x_y, de' }, 'de'],
  [{ 'accept-language': 'nonsense' }, 'en'],
  [{ 'accept-language': 'de', cookie: 'a=b; headrace-language=zh-CN; c=d' }, 'zh-CN'],
  [{ 'accept-language': 'de', cookie: 'headrace-language=en' }, 'en'],
  [{ 'accept-language': 'de', cookie: 'headrace-language=xx' }, 'de'],
  [{ 'accept-language': `${'fr,'.repeat(100)}de` }, 'en'],
] as const

for (const [headers, expected] of CASES)
  test(`${JSON.stringify(headers).slice(0, 80)}: ${expected}`, () => {
    assert.equal(chooseLanguage(headers, ALL), expected)
  })

test('a language that the build does not have is not chosen', () => {
  const cookie = 'headrace-language=zh-CN'
  assert.equal(chooseLanguage({ cookie, 'accept-language': 'zh' }, ['en', 'de']), 'en')
})
