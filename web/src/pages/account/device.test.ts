import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

const LIKE_CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0'
const CASES: readonly (readonly [string, string | undefined])[] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${LIKE_CHROME} Safari/537.36`, 'Chrome Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${LIKE_CHROME} Safari/537.36 Edg/156.0`, 'Edge Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605 Version/19.0 Safari/605',
    'Safari macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit Version/19.0 Safari/604',
    'Safari iPhone',
  ],
  ['Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0', 'Firefox Android'],
  ['curl/8.14.1', undefined],
  ['', undefined],
]

for (const [userAgent, expected] of CASES)
  test(`a session of ${expected ?? 'an unknown device'} is named so: ${userAgent}`, () => {
    const device = deviceOf(userAgent)
    assert.equal(device && `${device.browser} ${device.system}`, expected)
  })
