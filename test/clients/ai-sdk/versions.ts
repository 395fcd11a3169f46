import * as ai5 from 'ai-5'
import * as ai6 from 'ai-6'
import * as ai7 from 'ai-7'
import { createOpenAI as createOpenAI2 } from 'ai-sdk-openai-2'
import { createOpenAI as createOpenAI3 } from 'ai-sdk-openai-3'
import { createOpenAI as createOpenAI4 } from 'ai-sdk-openai-4'
import { createOpenAICompatible as createOpenAICompatible1 } from 'ai-sdk-openai-compatible-1'
import { createOpenAICompatible as createOpenAICompatible2 } from 'ai-sdk-openai-compatible-2'
import { createOpenAICompatible as createOpenAICompatible3 } from 'ai-sdk-openai-compatible-3'
import { apiRoot } from '../control-client.ts'

export type LanguageModel = ReturnType<ReturnType<typeof createOpenAI4>['chat']>
export type CreateModel = (
  model: string,
  apiKey: string,
  fetch?: typeof globalThis.fetch,
) => LanguageModel

/** One release of the SDK with one provider, typed as the newest release. */
export type AiSdkVersion = {
  readonly name: string
  readonly ai: typeof ai7
  readonly createModel: CreateModel
  /** The provider for OpenAI itself does not support `reasoning_content`. */
  readonly showsReasoning: boolean
}

const RELEASES = [
  ['ai 5', ai5, createOpenAICompatible1, createOpenAI2],
  ['ai 6', ai6, createOpenAICompatible2, createOpenAI3],
  ['ai 7', ai7, createOpenAICompatible3, createOpenAI4],
] as const

export const VERSIONS: readonly AiSdkVersion[] = RELEASES.flatMap(
  ([release, module, createOpenAICompatible, createOpenAI]) => {
    const ai = module as unknown as typeof ai7
    const compatible: CreateModel = (model, apiKey, fetch = globalThis.fetch) =>
      createOpenAICompatible({
        name: 'headrace',
        baseURL: apiRoot,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
      })(model) as unknown as LanguageModel
    const openai: CreateModel = (model, apiKey, fetch = globalThis.fetch) =>
      createOpenAI({ baseURL: apiRoot, apiKey, fetch }).chat(model) as unknown as LanguageModel
    return [
      { name: `${release}, openai-compatible`, ai, createModel: compatible, showsReasoning: true },
      { name: `${release}, openai.chat()`, ai, createModel: openai, showsReasoning: false },
    ]
  },
)
