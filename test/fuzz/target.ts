import type { Random } from '../harness/figures/random.ts'

/** Something that reads bytes of strangers, and what must hold for any bytes. */
export type FuzzTarget = {
  /** Inputs to begin with, beside the saved corpus. */
  readonly seeds: readonly Buffer[]
  /** Texts that mutations insert. */
  readonly dictionary: readonly string[]
  readonly lengthMax: number
  /** About a minute of work: a fixed number gives a seed the same inputs on every machine. */
  readonly ciExecutions: number
  /** Throws if a guarantee is broken. */
  check(input: Buffer): void | Promise<void>
  /** An input of the right structure, for what mutations of bytes rarely reach. */
  generate?(random: Random): Buffer
  close?(): Promise<void>
}

export const TARGETS = ['http', 'json', 'schema', 'engine', 'credential', 'management'] as const
export type TargetName = (typeof TARGETS)[number]

export async function openTarget(name: TargetName): Promise<FuzzTarget> {
  switch (name) {
    case 'http':
      return (await import('./targets/http.ts')).openHttpTarget()
    case 'json':
      return (await import('./targets/json.ts')).jsonTarget
    case 'schema':
      return (await import('./targets/schema.ts')).schemaTarget
    case 'engine':
      return (await import('./targets/engine.ts')).engineTarget
    case 'credential':
      return (await import('./targets/credential.ts')).credentialTarget
    case 'management':
      return (await import('./targets/management.ts')).managementTarget
  }
}
