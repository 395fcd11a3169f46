import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVoucherCode, hashVoucherCode } from './voucher-code.ts'

test('a code has four groups of four characters that nobody takes for others', () => {
  const codes = Array.from({ length: 1_000 }, () => createVoucherCode())
  for (const { code, hash } of codes) {
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
    assert.deepEqual(hashVoucherCode(code), hash)
  }
  assert.equal(new Set(codes.map(({ code }) => code)).size, codes.length)
})

test('each place of a code has all 32 characters: its 80 bits are random', () => {
  const codes = Array.from({ length: 2_000 }, () => createVoucherCode().code.replaceAll('-', ''))
  for (let place = 0; place < 16; place += 1)
    assert.equal(new Set(codes.map((code) => code.charAt(place))).size, 32, `place ${place}`)
})

test('a code is read however it was typed', () => {
  const hash = hashVoucherCode('7QKD-2M0X-V91T-HC4R')
  assert.ok(hash !== undefined)
  for (const typed of [
    '7qkd2m0xv91thc4r',
    ' 7QKD 2M0X V91T HC4R\n',
    '7QKD–2MOX—V9IT-HC4R',
    '7qkd-2mox-v9lt-hc4r',
    '７ＱＫＤ－２Ｍ０Ｘ－Ｖ９１Ｔ－ＨＣ４Ｒ',
  ])
    assert.deepEqual(hashVoucherCode(typed), hash, typed)
})

test('what has not the form of a code is none', () => {
  const texts = ['', '7QKD', '7QKD-2M0X-V9ET-HC4', '7QKD-2M0X-V9ET-HC4R5', '7QKD-2M0X-V9ET-HC4U']
  for (const text of texts) assert.equal(hashVoucherCode(text), undefined, text)
})
