import { goProgram } from '../../harness/programs/go.ts'

export const program = goProgram('go-openai', 'github.com/sashabaranov/go-openai')
