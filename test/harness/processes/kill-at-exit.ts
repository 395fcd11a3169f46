import type { ChildProcess } from 'node:child_process'

/** A run that is cut short leaves no process behind. */
export function killAtExit(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))
}
