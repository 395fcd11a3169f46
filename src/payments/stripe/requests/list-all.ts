import type { Static, TObject, TProperties } from 'typebox'
import { listOf } from '../answers.ts'
import type { Form } from './encode-form.ts'
import type { Send } from './send-request.ts'

const PAGE_LENGTH = 100

/** All items of a list, newest first, a page at a time. */
export async function* listAll<Properties extends TProperties>(
  send: Send,
  path: string,
  form: Form,
  item: TObject<Properties>,
): AsyncGenerator<Static<TObject<Properties>>, void> {
  let after: string | undefined
  for (;;) {
    const { body } = await send({
      method: 'GET',
      path,
      form: { ...form, limit: PAGE_LENGTH, starting_after: after },
      answer: listOf(item),
    })
    // TypeScript does not compute the type of a schema that is a parameter.
    const page = body as {
      readonly data: readonly Static<TObject<Properties>>[]
      readonly has_more: boolean
    }
    yield* page.data
    const last = page.data.at(-1) as { readonly id: string } | undefined
    if (!page.has_more || last === undefined) return
    after = last.id
  }
}
