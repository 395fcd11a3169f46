import { readFileSync } from 'node:fs'

/** The events of a stream that was recorded from a real llama-server, as it sent them. */
export function recordedStream(name: string): string {
  const file = new URL(`../../demo-model/transcripts/${name}.txt`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  const events = lines.flatMap((line) => /^\[ *[\d.]+\] (data: .*)$/.exec(line)?.[1] ?? [])
  if (events.length === 0) throw new Error(`${name} holds no stream`)
  return events.map((event) => `${event}\n\n`).join('')
}
