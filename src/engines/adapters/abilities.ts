import type { EngineTraits } from './chat-engine.ts'
import type { Engine, ToldAbilities } from './engine.ts'

const TOLD = ['tool_choice', 'json_schema', 'reasoning'] as const

/** What an engine can do: what is declared, and what the probe finds of the rest. */
export function createAbilities({
  declared,
  isTrusted,
}: Pick<EngineTraits, 'declared' | 'isTrusted'>): Pick<Engine, 'can' | 'known' | 'learn'> {
  const found = new Map<string, boolean | 'unknown'>()
  const known: { -readonly [ability in keyof ToldAbilities]: boolean } = {}
  const note = () => {
    for (const ability of TOLD) {
      const has = declared[ability] ?? provenBy(found.get(ability), ability, isTrusted)
      if (has === undefined) delete known[ability]
      else known[ability] = has
    }
  }
  note()
  return {
    can: (ability) => declared[ability] ?? (isTrusted || found.get(ability) === true),
    known,
    learn(probed) {
      for (const [ability, has] of Object.entries(probed)) found.set(ability, has)
      note()
    },
  }
}

/**
 * A test of a busy engine may fail, and requests are sent to a trusted kind nevertheless; to the
 * others they are refused. An answer without reasoning does not prove that there is none.
 */
function provenBy(
  found: boolean | 'unknown' | undefined,
  ability: (typeof TOLD)[number],
  isTrusted: boolean,
): boolean | undefined {
  if (found === true) return true
  return found === false && !isTrusted && ability !== 'reasoning' ? false : undefined
}
