import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { NotPossibleHere } from '../../harness/proof.ts'

/** What the story uses of the OpenAI SDK; its own types are installed with the clients only. */
export type OpenAi = {
  readonly chat: {
    readonly completions: {
      create(request: object): {
        withResponse(): Promise<{ readonly data: Completion; readonly response: Response }>
      }
    }
  }
}

type Completion = {
  readonly choices: readonly { readonly message: { readonly content: string | null } }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** What the SDK throws for an answer that is no success. */
export type OpenAiError = Error & {
  readonly status: number
  readonly code: string
  readonly requestID: string
}

type Sdk = { readonly OpenAI: new (options: object) => OpenAi }

const CLIENTS = new URL('../../clients/openai/package.json', import.meta.url)
const SDK = 'openai-7'

/** The real SDK, from the package of the clients, without retries. */
export async function openSdk(baseURL: string, apiKey: string): Promise<OpenAi> {
  const { OpenAI } = (await import(pathToFileURL(findSdk()).href)) as Sdk
  return new OpenAI({ baseURL, apiKey, maxRetries: 0 })
}

function findSdk(): string {
  try {
    return createRequire(CLIENTS).resolve(SDK)
  } catch {
    throw new NotPossibleHere('the clients are not installed: run npm ci --prefix test/clients')
  }
}
