import { everywhere } from '../words/everywhere.ts'
import { say } from './toast.tsx'

/** Whether the clipboard has it. A browser may refuse, and has no clipboard on a page over http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

export async function copyLink(link: string, said: string): Promise<void> {
  say((await copyText(link)) ? said : everywhere.notCopied)
}
