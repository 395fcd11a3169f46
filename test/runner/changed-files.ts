import { execFileSync } from 'node:child_process'
import { ROOT } from '../suites.ts'

const MAIN = 'main'

/** What differs from the revision that both have in common: commits, the work tree, new files. */
export function listChangedFiles(revision: string): string[] {
  const base = git('merge-base', revision, 'HEAD').trim()
  const tracked = git('diff', '--name-only', '--no-renames', '-z', base)
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z')
  const paths = [...tracked.split('\0'), ...untracked.split('\0')].filter((path) => path !== '')
  return [...new Set(paths)].toSorted()
}

/** `--since` without a revision means since main. */
export function completeSince(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const next = args[at + 1]
    const isAlone = arg === '--since' && (next === undefined || next.startsWith('-'))
    return isAlone ? [arg, MAIN] : [arg]
  })
}

function git(...command: string[]): string {
  return execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' })
}
