import type { Asked } from '../../harness/fake-engine/server.ts'
import type { Line } from '../../harness/clients/http-client.ts'
import type { ProofRun } from '../../harness/proof.ts'

const CONVERSATIONS = 12
const TURNS = 10
/** With each turn of all conversations, by one organization. */
const FAILING = 12
/** Of all turns. */
const MOVED_SHARE_MAX = 0.01

/** On which engine each conversation was last, and how many turns were on another. */
export type Moves = { readonly engines: Map<string, number>; turns: number; moved: number }

export function openMoves(): Moves {
  return { engines: new Map(), turns: 0, moved: 0 }
}

/** An engine got a request. */
export function noteTurn(moves: Moves, engine: number, body: Asked['body']): void {
  const [first] = body['messages'] as readonly { readonly content: string }[]
  if (first?.content.startsWith('conversation') !== true) return
  const before = moves.engines.get(first.content)
  moves.engines.set(first.content, engine)
  moves.turns += 1
  if (before !== undefined && before !== engine) moves.moved += 1
}

function turnOf(run: ProofRun, conversation: number, turn: number): object[] {
  const earlier = Array.from({ length: turn }, (_, index) => [
    { role: 'assistant', content: 'word' },
    { role: 'user', content: `next ${index}` },
  ])
  return [{ role: 'user', content: `conversation ${run.seed} ${conversation}` }, ...earlier.flat()]
}

/** Conversations stay on their engines while requests of one other organization fail. */
export async function tryConversations(
  run: ProofRun,
  model: string,
  lines: readonly Line[],
  { keys, hostile }: { readonly keys: readonly string[]; readonly hostile: string },
  moves: Moves,
): Promise<void> {
  const send = async (index: number, key: string, messages: readonly object[]) =>
    lines[index % lines.length]?.chat(key, { model, messages })
  for (let turn = 0; turn < TURNS; turn += 1) {
    const failing = Array.from({ length: FAILING }, (_, index) =>
      send(index, hostile, [{ role: 'user', content: `fail ${turn} ${index}` }]),
    )
    await Promise.all(failing)
    const turns = Array.from({ length: CONVERSATIONS }, (_, index) =>
      send(index, keys[index % keys.length] ?? '', turnOf(run, index, turn)),
    )
    await Promise.all(turns)
  }
  if (moves.turns < CONVERSATIONS * TURNS) run.fail(`only ${moves.turns} turns of conversations`)
  if (moves.moved > moves.turns * MOVED_SHARE_MAX)
    run.fail(`${moves.moved} of ${moves.turns} turns left their engine`)
}
