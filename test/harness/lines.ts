import type { Log, LogFields } from '../../src/lib/log.ts'

export type Line = { readonly level: string; readonly message: string; readonly fields: LogFields }

/** A log that keeps its lines. */
export function keepLines(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = []
  const at = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields })
  return {
    lines,
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
  }
}
