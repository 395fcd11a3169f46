import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { settingsText } from './settings-text.ts'

test('settings are written as YAML that reads as the same settings', () => {
  const settings = {
    api: { host: '127.0.0.1', port: 8080, secret: '***', nothing: null, yes: true },
    engines: [
      { name: 'one', url: 'http://a:1/x', tags: ['a', 'b: c', '- d', '#'] },
      {
        name: 'two words',
        nested: {
          deep: [
            { a: 1, b: [] },
            { a: 2, b: {} },
          ],
        },
      },
    ],
    numbers: [1, 2.5, -3],
    list: [['a'], ['b']],
    empty: {},
    quoted: ['true', 'null', '1', 'yes ', ''],
  }
  assert.deepEqual(parse(settingsText(settings)), settings)
})
