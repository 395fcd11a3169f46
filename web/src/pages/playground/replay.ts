import type { PlaygroundSearch } from './search.ts'
import { searchOf } from './setup/search-of.ts'
import { findRun } from './talk.ts'

/** The settings with which this tab sent a request; undefined if it no longer has it. */
export function findReplay(
  account: string,
  organization: string,
  requestId: string,
): PlaygroundSearch | undefined {
  const run = findRun(account, organization, requestId)
  return run === undefined ? undefined : searchOf(run.body)
}
