import type { Expected } from './run-doctor.ts'
import type { System, Variables } from './system.ts'

/** One thing, or several that do not depend on each other, that is wrong with a system. */
export type Scenario = {
  readonly name: string
  /** Makes it wrong; variables that it returns are those of the command. */
  readonly spoil: (system: System) => Promise<Spoiled>
  readonly args?: readonly string[]
  /** Run by the shell before the command. */
  readonly limits?: string
  readonly exitCode: number
  readonly expected: Expected
}

export type Spoiled = {
  readonly variables?: Variables
  readonly restore?: () => unknown
}
