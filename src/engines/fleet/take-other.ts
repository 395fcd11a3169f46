import { hasRoom, type Member } from './member.ts'
import { chooseEngine, type Eligibility } from './choose-engine.ts'
import type { ConversationKey, Placements } from './placement/placements.ts'

/** Engines that a retry asks for a slot; each may take a call of Valkey. */
const OTHERS_ASKED_MAX = 3

/**
 * Takes a slot of an engine that was not tried, here or of another process. `members` are those of
 * the moment: engines may leave the list while another process is asked.
 */
export async function takeOther(
  members: () => readonly Member[],
  request: ConversationKey & Eligibility,
  placements: Placements,
  tried: ReadonlySet<Member>,
): Promise<Member | undefined> {
  const used = new Set(tried)
  for (let asked = 0; asked < OTHERS_ASKED_MAX; asked += 1) {
    // A retry does not move the conversation: perhaps only the request was at fault.
    const others = members().filter((member) => !used.has(member))
    const choice = chooseEngine(elsewhere(others, tried), request, performance.now(), placements)
    const { home, now: other = home } = choice
    if (other === undefined) return undefined
    if ((await other.lease.borrow()) && hasRoom(other) && members().includes(other)) {
      other.began()
      return other
    }
    // One that is ejected is better than none.
    used.add(other)
  }
  return undefined
}

/** Only those of servers that were not tried, if one serves: ranks of a server fail together. */
function elsewhere(others: readonly Member[], tried: ReadonlySet<Member>): readonly Member[] {
  const servers = new Set([...tried].map(({ engine }) => engine.server))
  const apart = others.filter(({ engine }) => !servers.has(engine.server))
  const nowMs = performance.now()
  return apart.some(({ health, isOpen }) => health.isHealthy(nowMs) && isOpen()) ? apart : others
}
