import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { testLangChain } from './test-langchain.ts'
import { WEATHER_TOOL } from '../weather-tool.ts'

const schema = z.object({ city: z.string() })

await testLangChain({
  version: '1.6.0',
  createModel: (settings) => new ChatOpenAI(settings),
  createTool: (answer) => tool(async (input) => answer(input), { ...WEATHER_TOOL, schema }),
  showsReasoning: true,
  stopsAtDailyLimit: true,
})
