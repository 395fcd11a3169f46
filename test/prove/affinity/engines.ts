import { startRealEngine, type RealEngine } from '../../harness/engines/real-engine.ts'
import {
  converse,
  ENGINES,
  openConversations,
  readAnswer,
  SLOTS,
  type Answer,
  type Conversation,
  type Workload,
} from './converse.ts'

/** Engines that have read nothing yet. */
export async function startEngines(starting: AsyncDisposableStack): Promise<RealEngine[]> {
  const servers = await Promise.all(Array.from({ length: ENGINES }, () => startRealEngine(SLOTS)))
  for (const server of servers) starting.use(server)
  return servers
}

/** Where a turn is sent without Headrace: an address and a slot of the engine. */
type Target = { readonly url: string; readonly slot?: number }

async function sendTo(
  { url, slot }: Target,
  { messages }: Conversation,
  replyTokensMax: number,
): Promise<Answer> {
  const place = slot === undefined ? {} : { id_slot: slot }
  const limits = { max_tokens: replyTokensMax, seed: 1, stream: false }
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'pebble', messages, ...limits, ...place }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`a turn failed: ${answer.status} ${text}`)
  return readAnswer(text)
}

type Distribution = (
  urls: readonly string[],
  starting: AsyncDisposableStack,
) => Promise<(conversation: Conversation) => Target>

/** Runs the conversations on engines of their own, without Headrace. */
export async function measureEngines(seed: number, workload: Workload, open: Distribution) {
  await using starting = new AsyncDisposableStack()
  const urls = (await startEngines(starting)).map(({ url }) => url)
  const targetOf = await open(urls, starting)
  return await converse(
    openConversations(seed, workload),
    workload,
    (conversation, replyTokensMax) => sendTo(targetOf(conversation), conversation, replyTokensMax),
  )
}

/** Each conversation has a slot that nobody else uses: no way to distribute them is better. */
export const SLOT_OF_ITS_OWN: Distribution = async (urls) => {
  return ({ index }) => ({
    url: urls[index % ENGINES] ?? '',
    slot: Math.floor(index / ENGINES),
  })
}

/** Each turn goes to the next engine. */
export const ROUND_ROBIN: Distribution = async (urls) => {
  let turns = 0
  return () => ({ url: urls[(turns += 1) % ENGINES] ?? '' })
}
