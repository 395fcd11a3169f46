import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The demo model with control tokens that no common pattern covers. */
export type RenamedModel = AsyncDisposable & { readonly file: string }

const DEMO = new URL('../../demo-model/pebble-q8_0.gguf', import.meta.url)

/** Of the same length, so that nothing else in the file moves. */
const RENAMED: Readonly<Record<string, string>> = {
  '<|im_start|>': '~~im_start~~',
  '<|im_end|>': '~~im_end~~',
  '<|endoftext|>': '~~endoftext~~',
}

export const UNUSUAL_TOKENS = Object.values(RENAMED)

export function renameTokens(text: string): string {
  return Object.entries(RENAMED).reduce((all, [from, to]) => all.replaceAll(from, to), text)
}

/** Renames tokens in the vocabulary and the chat template of a copy. */
export async function createRenamedModel(): Promise<RenamedModel> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-model-'))
  const file = join(folder, 'renamed.gguf')
  // One character for each byte.
  const bytes = (await readFile(DEMO)).toString('latin1')
  await writeFile(file, Buffer.from(renameTokens(bytes), 'latin1'))
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
