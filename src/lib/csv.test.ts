import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

test('values that a spreadsheet would run begin with an apostrophe', () => {
  const values = ['=1+1', '+1', '-1', '@sum(1)', '\t=1', '\r=1', "=cmd|' /C calc'!A0", 'a=1', -5]
  assert.equal(
    csvLine(values),
    `'=1+1,'+1,'-1,'@sum(1),'\t=1,"'\r=1",'=cmd|' /C calc'!A0,a=1,-5\r\n`,
  )
})

test('quotes, commas and line breaks stay within their field, and null is empty', () => {
  assert.equal(csvLine(['a"b', 'a,b', 'a\nb', null, '']), '"a""b","a,b","a\nb",,\r\n')
})
