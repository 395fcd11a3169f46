import type { Bench } from './bench.ts'
import type { Install } from './install.ts'

export const CHECKS = ['chat', 'stream', 'tools', 'schema', 'abort'] as const

/**
 * - `chat`: a whole answer; `stream`: one that arrives in pieces
 * - `tools`: a whole loop, with the result of the tool sent back
 * - `schema`: output in the form of a JSON schema
 * - `abort`: Ctrl+C or a closed stream, seen to stop the engine
 */
export type Check = (typeof CHECKS)[number]

export type Command = {
  readonly file: string
  readonly parameters: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** A program that people use, in one version, and what is tried with it. */
export type Program = {
  /** As its makers write it. */
  readonly name: string
  readonly version: string
  readonly install: Install
} & (
  | { readonly checks: Readonly<Partial<Record<Check, (bench: Bench) => Promise<void>>>> }
  /** A script that says which checks it has and runs those it is told to: see session.ts. */
  | { readonly session: (bench: Bench) => Command }
)
