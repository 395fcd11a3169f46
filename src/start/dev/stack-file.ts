import { existsSync, readFileSync } from 'node:fs'

/** Addresses of the development stack; `npm run stack -- up` writes it. */
const STACK_FILE = '.stack/stack.json'

export type DevelopmentStack = {
  readonly postgres: { readonly url: string }
  readonly valkey: { readonly url: string }
  readonly engine: { readonly url: string; readonly apiKey: string }
}

/** The stack of the clone in the current folder; undefined if there is none or it is not up. */
export function readDevelopmentStack(): DevelopmentStack | undefined {
  if (!existsSync(STACK_FILE)) return undefined
  const stack = JSON.parse(readFileSync(STACK_FILE, 'utf8')) as Partial<DevelopmentStack>
  const { postgres, valkey, engine } = stack
  return postgres && valkey && engine ? { postgres, valkey, engine } : undefined
}
