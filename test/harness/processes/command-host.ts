// Runs `headrace` commands one after another and sends what they print: see ask-commands.ts.
import { createProgram } from '../../../src/cli/program.ts'

export type CommandAsked = readonly string[]
export type CommandEnded = { readonly stdout: string } | { readonly failure: string }

let stdout = ''
process.stdout.write = (text: string | Uint8Array) => {
  stdout += String(text)
  return true
}

process.on('message', (args: CommandAsked) => void runCommand(args).then(send))

async function runCommand(args: CommandAsked): Promise<CommandEnded> {
  stdout = ''
  try {
    await createProgram().parseAsync(args, { from: 'user' })
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
  // The commands that note a failure in it have reported it.
  const { exitCode = 0 } = process
  process.exitCode = 0
  return exitCode === 0 ? { stdout } : { failure: `exit code ${exitCode}` }
}

function send(ended: CommandEnded): void {
  process.send?.(ended)
}

// A command may leave a connection that ends with its process, as an operator's would.
process.once('disconnect', () => process.exit())
