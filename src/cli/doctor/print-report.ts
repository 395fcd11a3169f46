import type { JsonOption } from '../options.ts'
import type { Result, Verdict } from './run-checks.ts'

const MARKS: Readonly<Record<Verdict, string>> = {
  ok: '✓',
  note: 'i',
  warning: '!',
  failed: '✗',
  not_checked: '·',
}

/** Prints one line for each check, and below it what to do unless it is in order. */
export function printReport(results: readonly Result[], options: JsonOption): void {
  if (options.json === true) {
    console.log(JSON.stringify({ ...countVerdicts(results), checks: results }, null, 2))
    return
  }
  const width = Math.max(...results.map((result) => labelOf(result).length))
  let group = ''
  for (const result of results) {
    if (result.group !== group) console.log(`${group === '' ? '' : '\n'}${result.group}`)
    group = result.group
    console.log(`  ${MARKS[result.verdict]} ${labelOf(result).padEnd(width)}  ${result.found}`)
    if (result.verdict === 'ok' || result.hint === undefined) continue
    console.log(`    ${' '.repeat(width)}  ${result.hint}`)
    console.log(`    ${' '.repeat(width)}  ${result.docs}`)
  }
  const { ok, notes, warnings, failed, not_checked: skipped } = countVerdicts(results)
  const accepted = notes === 0 ? '' : `${notes} notes, `
  console.log(
    `\n${ok} ok, ${accepted}${warnings} warnings, ${failed} failed, ${skipped} not checked`,
  )
}

function countVerdicts(results: readonly Result[]) {
  const count = (verdict: Verdict) => results.filter((each) => each.verdict === verdict).length
  return {
    ok: count('ok'),
    notes: count('note'),
    warnings: count('warning'),
    failed: count('failed'),
    not_checked: count('not_checked'),
  }
}

function labelOf({ of, check }: Result): string {
  return of === undefined ? check : `${of}: ${check}`
}
