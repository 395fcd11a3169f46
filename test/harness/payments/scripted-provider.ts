import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { askMock, RefusedByMock } from './base-object.ts'
import { control } from './control.ts'
import { openJournal, type Journal } from './journal.ts'
import { createBooks, Refusal, type Books, type Outcome } from './provider-books.ts'
import { complete } from './provider-page.ts'
import { notScripted, runRoute } from './provider-routes.ts'

/** Something that goes wrong once, at the first request that fits. */
export type Fault = {
  /** How the request begins, such as `POST /v1/checkout/sessions`; without it any fits. */
  readonly at?: string
  /** Before or after the provider's effect. */
  readonly when: 'before' | 'after'
  /** The answer is lost; processes that get SIGKILL are named, 0 is the provider itself. */
  readonly kill?: readonly number[]
  /**
   * An answer with this status instead. A 500 is saved under the key as Stripe saves it, so that
   * the same request never gets another answer. Others come from something before it.
   */
  readonly status?: number
}

export type ProviderState = {
  readonly books: Books
  readonly journal: Journal
  readonly mock: string | undefined
  readonly faults: Fault[]
  /** Of charges of saved cards to come. None: they are paid. */
  readonly outcomes: Outcome[]
  readonly running: Set<string>
  /** Requests that stripe-mock refused: mistakes of ours. */
  readonly violations: string[]
  /** How often a fault struck, by when and at. */
  readonly struck: Map<string, number>
  requests: number
  /** Whether the bank is slow with refunds that are asked for. */
  refundsPend: boolean
}

export type ProviderOptions = {
  readonly journal: string
  /** The address of stripe-mock, which then checks every request. */
  readonly mock?: string | undefined
  readonly port?: number
}

const FAILED = { error: { type: 'api_error', message: 'scripted' } }

/**
 * A payment provider for tests, with what stripe-mock lacks: state, hosted pages, keys, events,
 * disputes and failures. `provider-control.ts` drives it.
 */
export async function startScriptedProvider(options: ProviderOptions) {
  const journal = openJournal(options.journal)
  const state: ProviderState = {
    books: createBooks(journal),
    journal,
    mock: options.mock,
    faults: [],
    outcomes: [],
    running: new Set(),
    violations: [],
    struck: new Map(),
    requests: 0,
    refundsPend: false,
  }
  const server = createServer((request, response) => {
    answerRequest(state, request, response).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answerRequest(
  state: ProviderState,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const page = /^\/pay\/([^/]+)$/.exec(url.pathname)?.[1]
  if (url.pathname.startsWith('/scripted/'))
    send(response, 200, control(state, url.pathname, body === '' ? {} : JSON.parse(body)))
  else if (page !== undefined) showPage(state, request, response, page, body)
  else await answerApi(state, request, response, url, body)
}

/** What a person sees, in the least of HTML: two buttons, and the way back. */
function showPage(
  { books, journal }: ProviderState,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  body: string,
): void {
  const card = (new URLSearchParams(body).get('card') ?? 'ok') as Outcome
  if (request.method === 'POST') complete(books, id, card)
  journal.commit()
  const session = books.find(id)
  if (session['status'] === 'complete') {
    response.writeHead(303, { location: String(session['success_url']) }).end()
    return
  }
  const buttons = ['ok', 'declined'].map((each) => `<button name="card" value="${each}">${each}`)
  const { amount_total: total = session['total'], currency, status } = session
  const title = `<title>Pay</title><h1>${[total, currency, status].join(' ')}</h1>`
  const back = `<a href="${String(session['cancel_url'])}">back</a>`
  const html = `<!doctype html>${title}${back}<form method="post">${buttons.join('')}`
  response.writeHead(200, { 'content-type': 'text/html' }).end(html)
}

async function answerApi(
  state: ProviderState,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: string,
): Promise<void> {
  state.requests += 1
  const key = request.headers['idempotency-key']?.toString()
  const asked = `${request.method} ${url.pathname} ${body}`
  const known = key === undefined ? undefined : state.journal.saved.get(key)
  if (known?.request === asked) {
    response.setHeader('idempotent-replayed', 'true')
    return send(response, known.status, known.answer)
  }
  if (known !== undefined) return send(response, 400, keyError('Key used with another request.'))
  if (key !== undefined && state.running.has(key))
    return send(response, 409, keyError('It is running.', 'idempotency_key_in_use'))
  if (key !== undefined) state.running.add(key)
  try {
    const fault = takeFault(state, `${request.method} ${url.pathname}`)
    const done = fault?.when === 'before' ? null : await carryOut(state, request, url, body)
    const saved = fault?.status === 500 ? { status: 500, answer: FAILED, kept: true } : done
    if (saved?.kept === true && key !== undefined) {
      const { status, answer } = saved
      state.journal.note({ key, saved: { request: asked, status, answer } })
    }
    state.journal.commit()
    if (fault !== undefined) strike(fault, response)
    else if (done !== null) send(response, done.status, done.answer)
  } finally {
    if (key !== undefined) state.running.delete(key)
  }
}

/** Stripe-mock judges the request, the script carries it out. */
async function carryOut(state: ProviderState, request: IncomingMessage, url: URL, body: string) {
  const method = request.method ?? 'GET'
  const version = request.headers['stripe-version']?.toString()
  try {
    if (state.mock !== undefined)
      await askMock(state.mock, { method, url: url.pathname + url.search, body, version })
    const form = new URLSearchParams(method === 'POST' ? body : url.search)
    const answer = runRoute(method, url.pathname, {
      books: state.books,
      form,
      pageRoot: url.origin,
      nextOutcome: () => state.outcomes.shift() ?? 'ok',
      refundsPend: state.refundsPend,
    })
    if (answer === undefined) throw notScripted(method, url.pathname)
    return { status: 200, answer, kept: true }
  } catch (error) {
    if (error instanceof RefusedByMock) {
      state.violations.push(`${method} ${url.pathname}: ${error.message}`)
      return { status: error.status, answer: error.answer, kept: false }
    }
    if (!(error instanceof Refusal)) throw error
    return { status: error.status, answer: { error: error.error }, kept: error.kept }
  }
}

function takeFault({ faults, struck }: ProviderState, asked: string): Fault | undefined {
  const index = faults.findIndex(({ at }) => asked.startsWith(at ?? ''))
  const fault = index < 0 ? undefined : faults.splice(index, 1)[0]
  if (fault === undefined) return undefined
  const name = `${fault.when} ${fault.at ?? 'any'}`
  struck.set(name, (struck.get(name) ?? 0) + 1)
  return fault
}

function strike({ kill, status }: Fault, response: ServerResponse): void {
  for (const pid of kill ?? []) killHard(pid === 0 ? process.pid : pid)
  if (status === undefined) response.destroy()
  else send(response, status, FAILED)
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

function keyError(message: string, code?: string) {
  return { error: { type: 'idempotency_error', code, message } }
}
