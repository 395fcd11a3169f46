import { javaProgram } from '../../harness/programs/java.ts'

export const program = javaProgram({
  name: 'LangChain4j',
  key: 'langchain4j',
  artifact: 'langchain4j-open-ai',
  example: 'LangChain4jExample',
})
