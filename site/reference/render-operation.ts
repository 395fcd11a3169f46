import type { Document, Operation, Response } from './document.ts'
import { listMembers, meaningOf, typeOf } from './list-members.ts'

export type Place = { readonly method: string; readonly path: string }

/** One operation as Markdown: what it does, who may, what is sent, and what comes back. */
export function renderOperation(place: Place, operation: Operation, document: Document): string {
  const { summary, description = summary, parameters = [], responses } = operation
  const rows = parameters.map((each) => {
    const meaning = each.description ?? meaningOf(each.schema, document)
    const type = typeOf(each.schema, document)
    return [`\`${each.name}\``, each.in, type, each.required === true ? 'yes' : 'no', meaning]
  })
  const [status = '', success] = Object.entries(responses)[0] ?? []
  return [
    `## ${summary}`,
    `**${place.method.toUpperCase()}** \`${place.path}\``,
    description.replace(/\.$/, '') === summary ? '' : description,
    renderFacts(operation),
    renderCurls(place, operation, document),
    renderTable(['Parameter', 'In', 'Type', 'Required', 'Meaning'], rows),
    renderBody(operation, document),
    success === undefined ? '' : renderAnswer(status, success, document),
    renderErrors(responses),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function renderFacts(operation: Operation): string {
  const { security, 'x-permission': permission, 'x-confirmation': confirmed } = operation
  if (permission === undefined) return ''
  const scopes = (security ?? []).flatMap((way) => way['management_key'] ?? [])
  return [
    `- Permission: \`${permission}\``,
    ...scopes.map((scope) => `- Management key: scope \`${scope}\``),
    ...(confirmed === true ? ['- Needs a confirmation of the last ten minutes.'] : []),
  ].join('\n')
}

function renderBody({ requestBody }: Operation, document: Document): string {
  const [body] = Object.values(requestBody?.content ?? {})
  if (body === undefined) return ''
  const rows = listMembers(body.schema, document).map(({ name, type, required, meaning }) => [
    `\`${name}\``,
    type,
    required ? 'yes' : 'no',
    meaning,
  ])
  return renderTable(['Member of the body', 'Type', 'Required', 'Meaning'], rows)
}

function renderAnswer(status: string, { description, content }: Response, document: Document) {
  const [[form, answer] = []] = Object.entries(content ?? {})
  if (answer === undefined) return `Answer: ${status}, without a body.`
  const rows = listMembers(answer.schema, document).map(({ name, type, meaning }) => [
    `\`${name}\``,
    type,
    meaning,
  ])
  const head = `Answer: ${status}, \`${form}\`. ${description === 'Success.' ? '' : description}`
  return `${head.trim()}\n\n${renderTable(['Member of the answer', 'Type', 'Meaning'], rows)}`
}

/** Errors that are listed by status; the others are on one page for all operations. */
function renderErrors(responses: Operation['responses']): string {
  const rows = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, { description }]) => [status, description.replace(/^code: /, '')])
  return renderTable(['Error', 'Codes'], rows)
}

function renderCurls(place: Place, operation: Operation, document: Document): string {
  const [body] = Object.values(operation.requestBody?.content ?? {})
  const single = body?.example === undefined ? [] : [{ summary: '', value: body.example }]
  const examples = body?.examples === undefined ? single : Object.values(body.examples)
  const command = curlOf(place, operation, document)
  if (examples.length === 0) return fenced(command)
  const form = Object.keys(operation.requestBody?.content ?? {})[0]
  return examples
    .map(({ summary, value }) => {
      const sent = [`-H 'Content-Type: ${form}'`, `-d '${JSON.stringify(value)}'`]
      return `${summary === '' ? '' : `${summary}:\n\n`}${fenced([...command, ...sent])}`
    })
    .join('\n\n')
}

function curlOf({ method, path }: Place, operation: Operation, document: Document): string[] {
  const isUsual = method === (operation.requestBody === undefined ? 'get' : 'post')
  const named = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => name.toUpperCase())
  const needsKey = operation.security === undefined || operation.security.length > 0
  return [
    `curl ${isUsual ? '' : `-X ${method.toUpperCase()} `}'${serverOf(document)}${named}'`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
  ]
}

function fenced(words: readonly string[]): string {
  return ['```sh', words.join(' \\\n  '), '```'].join('\n')
}

function serverOf({ servers }: Document): string {
  const [{ url, variables = {} } = { url: '' }] = servers
  return url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => variables[name]?.default ?? name)
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')
}
