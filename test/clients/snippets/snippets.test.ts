import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { apiRoot, createKey } from '../control-client.ts'
import { PYTHON } from '../openai-python/install.ts'

const CLIENTS = join(import.meta.dirname, '..')
const PAGES = ['docs/clients.md', 'docs/start/api.md']
const API_ROOT_ON_PAGE = 'http://127.0.0.1:8080/compat/v1'

/** The folder in which a snippet runs, by the first of these packages that it imports. */
const FOLDERS = {
  '@genkit-ai/compat-oai': 'genkit',
  '@instructor-ai/instructor': 'instructor',
  '@langchain/openai': 'langchain-1',
  '@mastra/core/agent': 'mastra',
  '@openai/agents': 'agents',
  ai: 'ai-sdk',
  openai: 'openai',
}

/** Packages that the suite installs in several versions have other names there. */
const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ai-sdk': { ai: 'ai-7', '@ai-sdk/openai-compatible': 'ai-sdk-openai-compatible-3' },
  openai: { openai: 'openai-7' },
}

const key = await createKey()

for (const path of PAGES) {
  const page = readFileSync(join(CLIENTS, '../..', path), 'utf8')
  describe(path, () => {
    for (const section of page.split(/^## /m).slice(1)) {
      const title = section.slice(0, section.indexOf('\n'))
      const snippets = [...section.matchAll(/^```(python|ts)\n(.*?)^```$/gms)]
      for (const [at, [, language = '', code = '']] of snippets.entries()) {
        test(`the ${language} snippet ${at + 1} of '${title}' runs unchanged`, async () => {
          const printed = await runSnippet(language, code)
          assert.ok(printed.trim().length > 0, 'the snippet printed nothing')
        })
      }
    }
  })
}

async function runSnippet(language: string, code: string): Promise<string> {
  assert.ok(code.includes(API_ROOT_ON_PAGE), 'the snippet does not contain the API root')
  const runnable = code.replaceAll(API_ROOT_ON_PAGE, apiRoot)
  const options = { env: { HEADRACE_API_KEY: key } }
  if (language === 'python') {
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', runnable], options)
    return stdout
  }
  const folder = chooseFolder(code)
  // Node resolves packages relative to the file, so the snippet must be in that folder.
  const directory = mkdtempSync(join(CLIENTS, folder, '.snippet-'))
  try {
    const file = join(directory, 'snippet.mts')
    writeFileSync(file, renameImports(runnable, ALIASES[folder] ?? {}))
    const { stdout } = await promisify(execFile)(process.execPath, [file], options)
    return stdout
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function chooseFolder(code: string): string {
  const found = Object.entries(FOLDERS).find(([name]) => code.includes(`from '${name}'`))
  assert.ok(found, 'the snippet imports no client of this suite')
  return found[1]
}

function renameImports(code: string, names: Readonly<Record<string, string>>): string {
  return Object.entries(names).reduce(
    (renamed, [name, alias]) => renamed.replaceAll(`from '${name}'`, `from '${alias}'`),
    code,
  )
}
