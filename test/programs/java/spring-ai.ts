import { javaProgram } from '../../harness/programs/java.ts'

export const program = javaProgram({
  name: 'Spring AI',
  key: 'spring-ai',
  artifact: 'spring-ai-openai',
  example: 'SpringExample',
})
