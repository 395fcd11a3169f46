import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readLogMessages, type LogMessage } from '../docs/read-texts.ts'

const PAGE = new URL('../docs/operating/log-messages.md', import.meta.url)

const logMessages = readLogMessages()
const rows = readRows()

function readRows() {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const found = lines.filter((line) => /^\| (trace|debug|info|warn|error|fatal) /.test(line))
  return found.map((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, level = '', message = '', fields = '', meaning = '', action = ''] = cells
    const names = fields === '' ? [] : fields.replaceAll('`', '').split(', ')
    return { level, message: message.replaceAll('`', ''), fields: names, meaning, action }
  })
}

type Entry = Omit<LogMessage, 'paths'>

function show({ level, message, fields }: Entry): string {
  return `${level}: ${message} {${fields.toSorted().join(', ')}}`
}

test('the table of log messages and the code agree on messages, levels and fields', () => {
  assert.deepEqual(rows.map(show).toSorted(), logMessages.map(show).toSorted())
})

test('every log message is documented with its meaning and an action', () => {
  for (const { message, meaning, action } of rows)
    assert.ok(meaning !== '' && action !== '', message)
})

test('log messages are constant text that starts in lower case', () => {
  for (const { message } of logMessages)
    assert.match(message, /^(?:[a-z]|Node\.js )[^…]+$/, message)
})
