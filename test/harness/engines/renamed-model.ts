import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { pythonOf, type Engine } from '../../../stack/engines/engine-command.ts'

/** The demo model with control tokens that no common pattern covers. */
export type RenamedModel = AsyncDisposable & { readonly file: string }

const DEMO = new URL('../../../demo-model/pebble-q8_0.gguf', import.meta.url)

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

/** The model in a form that this kind of engine reads, in the folder of its file. */
export async function exportFor(kind: Engine, file: string): Promise<string> {
  if (kind === 'llama-server') return file
  const script = new URL('../../../demo-model/export_hf.py', import.meta.url).pathname
  const folder = join(dirname(file), 'exported')
  await promisify(execFile)(pythonOf(kind), [script, file, folder])
  return folder
}
