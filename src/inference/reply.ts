import type { FinishReason } from '../contract/chat-response.ts'
import type { Piece, TokenCounts } from '../engines/adapters/piece.ts'

/** A generation put together from its pieces. Without a finish reason it broke off. */
export type Reply = {
  content: string
  /** Undefined if the model did not reason. */
  reasoning: string | undefined
  readonly calls: { readonly name: string; arguments: string }[]
  finishReason: FinishReason | undefined
  usage: TokenCounts | undefined
}

export function emptyReply(): Reply {
  return {
    content: '',
    reasoning: undefined,
    calls: [],
    finishReason: undefined,
    usage: undefined,
  }
}

export function addPiece(reply: Reply, piece: Piece): void {
  switch (piece.type) {
    case 'text':
      reply.content += piece.text
      return
    case 'reasoning':
      reply.reasoning = (reply.reasoning ?? '') + piece.text
      return
    case 'tool-call':
      reply.calls.push({ name: piece.name, arguments: piece.text })
      return
    case 'arguments': {
      const call = reply.calls[piece.index]
      if (call === undefined) throw new Error('arguments of a tool call that was not opened')
      call.arguments += piece.text
      return
    }
    case 'finish':
      reply.finishReason = piece.reason
      return
    case 'usage':
      reply.usage = piece.usage
  }
}
