import OpenAI4 from 'openai-4'
import { zodResponseFormat as zodResponseFormat4 } from 'openai-4/helpers/zod'
import OpenAI5 from 'openai-5'
import { zodResponseFormat as zodResponseFormat5 } from 'openai-5/helpers/zod'
import OpenAI626 from 'openai-6.26'
import { zodResponseFormat as zodResponseFormat626 } from 'openai-6.26/helpers/zod'
import OpenAI649 from 'openai-6.49'
import { zodResponseFormat as zodResponseFormat649 } from 'openai-6.49/helpers/zod'
import OpenAI7 from 'openai-7'
import { zodResponseFormat as zodResponseFormat7 } from 'openai-7/helpers/zod'

export type OpenAIClient = OpenAI7

/** One release of the SDK, typed as the newest: the tests use only what all of them have. */
export type OpenAIVersion = {
  readonly version: string
  readonly OpenAI: typeof OpenAI7
  readonly zodResponseFormat: typeof zodResponseFormat7
  /** `.stream()`, `.parse()` and `.runTools()` moved out of `beta` in version 5. */
  readonly helpers: (client: OpenAIClient) => OpenAI7['chat']['completions']
  /** Whether `.runTools()` sends the reasoning of the previous step back. */
  readonly runToolsReturnsReasoning: boolean
}

type Release = { readonly OpenAI: unknown; readonly zodResponseFormat: unknown }

function describeVersion(
  version: string,
  { OpenAI, zodResponseFormat }: Release,
  traits: { isBeta?: boolean; runToolsReturnsReasoning?: boolean } = {},
): OpenAIVersion {
  const { isBeta = false, runToolsReturnsReasoning = false } = traits
  return {
    version,
    OpenAI: OpenAI as typeof OpenAI7,
    zodResponseFormat: zodResponseFormat as typeof zodResponseFormat7,
    helpers: (client) =>
      isBeta
        ? (client.beta as unknown as Pick<OpenAI7, 'chat'>).chat.completions
        : client.chat.completions,
    runToolsReturnsReasoning,
  }
}

export const VERSIONS: readonly OpenAIVersion[] = [
  describeVersion(
    '4.104.0',
    { OpenAI: OpenAI4, zodResponseFormat: zodResponseFormat4 },
    { isBeta: true, runToolsReturnsReasoning: true },
  ),
  describeVersion(
    '5.23.2',
    { OpenAI: OpenAI5, zodResponseFormat: zodResponseFormat5 },
    { runToolsReturnsReasoning: true },
  ),
  describeVersion(
    '6.26.0',
    { OpenAI: OpenAI626, zodResponseFormat: zodResponseFormat626 },
    { runToolsReturnsReasoning: true },
  ),
  describeVersion('6.49.0', { OpenAI: OpenAI649, zodResponseFormat: zodResponseFormat649 }),
  describeVersion('7.53.0', { OpenAI: OpenAI7, zodResponseFormat: zodResponseFormat7 }),
]
