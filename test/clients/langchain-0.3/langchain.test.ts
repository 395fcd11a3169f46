import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { testLangChain, type LangChainVersion } from '../langchain-1/test-langchain.ts'
import { WEATHER_TOOL } from '../weather-tool.ts'

const schema = z.object({ city: z.string() })

await testLangChain({
  version: '0.3.17',
  createModel: ((settings: ConstructorParameters<typeof ChatOpenAI>[0]) =>
    new ChatOpenAI(settings)) as unknown as LangChainVersion['createModel'],
  createTool: ((answer: (input: { city: string }) => string) =>
    tool(async (input) => answer(input), {
      ...WEATHER_TOOL,
      schema,
    })) as unknown as LangChainVersion['createTool'],
  showsReasoning: false,
  stopsAtDailyLimit: false,
})
