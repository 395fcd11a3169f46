import { Type, type Static, type TSchema } from 'typebox'

// The forms that many resources of the management API share.

export const Id = Type.String({ format: 'uuid', description: 'UUID.' })
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC.' })

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

export function name(lengthMax: number, description: string) {
  return Type.String({ minLength: 1, maxLength: lengthMax, description })
}

export const KeyCount = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'There are more than `count`.' }),
})
export type KeyCount = Static<typeof KeyCount>

export const Money = Type.Object(
  {
    amount: Type.String({ description: 'In units of the currency, such as 12.50.' }),
    amount_micro: Type.Integer({ description: 'In millionths of the unit.' }),
    currency: Type.String({ description: 'Three capital letters.' }),
  },
  { $id: 'Money' },
)
export type Money = Static<typeof Money>

/** An amount that a client sends. */
export const NewMoney = Type.Object(
  {
    amount: Type.String({ description: 'In units of the currency, such as 12.50.' }),
    currency: Type.Optional(Type.String({ description: "The service's; for a check only." })),
  },
  { additionalProperties: false },
)
export type NewMoney = Static<typeof NewMoney>

/** A page of a list. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    data: Type.Array(item),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `after` for the next page; null on the last.',
    }),
  })
}

/** A page of a list that is counted, which ends at a bound. */
export function countedListOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    ...listOf(item).properties,
    total: Type.Union([KeyCount, Type.Null()], {
      description: 'How many there are, with the first page only, and not for a search.',
    }),
  })
}

/** Email addresses that are entered to be told of something. */
export const Addresses = Type.Array(Type.String({ maxLength: 254 }), {
  maxItems: 10,
  description: 'Email addresses.',
})

/** The query parameters of every list. */
export const PAGE_QUERY = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 50.' })),
  after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of a page.' })),
} as const

/** The query parameters of a list that can be sorted. */
export function sortQuery<const By extends string>(by: readonly By[], what: string) {
  return {
    sort: Type.Optional(
      Type.Enum([...by], {
        description:
          'What the list is ordered by, instead of newest first. Then only the newest 10,000 ' +
          `${what} are listed.`,
      }),
    ),
    order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default `desc`.' })),
  }
}

export type PageQuery = { readonly limit?: number; readonly after?: string }

export const EMPTY = Type.Object({}, { additionalProperties: false })

/** What a list is searched for. */
export const searchTerm = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 320,
      description:
        `What is searched, in any case: ${what}. Without three letters or digits in a row only ` +
        'the beginning. Of more than 500 matches, some are left out.',
    }),
  )
