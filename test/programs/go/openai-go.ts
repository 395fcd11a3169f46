import { goProgram } from '../../harness/programs/go.ts'

export const program = goProgram('openai-go', 'github.com/openai/openai-go/v3')
