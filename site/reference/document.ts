/** What the reference reads of an OpenAPI document. */
export type Document = {
  readonly info: { readonly title: string; readonly description?: string }
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type Server = {
  readonly url: string
  readonly variables?: Readonly<Record<string, { readonly default: string }>>
}

export type Operation = {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-permission'?: string
  readonly 'x-confirmation'?: boolean
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export type Response = { readonly description: string; readonly content?: Content }

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Schema
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { summary: string; value: unknown }>>
    }
  >
>

export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly const?: string | number | boolean
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
}
