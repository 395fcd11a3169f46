import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { UnreadableSource, type Endpoint } from './endpoint.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Optional(Type.Union([type, Type.Null()]))

const SliceSchema = Type.Object({
  metadata: Type.Object({ name: Type.String() }),
  addressType: Type.Optional(Type.String()),
  endpoints: nullable(
    Type.Array(
      Type.Object({
        addresses: Type.Array(Type.String(), { minItems: 1 }),
        targetRef: nullable(Type.Object({ uid: Type.Optional(Type.String()) })),
        conditions: Type.Optional(
          Type.Object({ ready: nullable(Type.Boolean()), terminating: nullable(Type.Boolean()) }),
        ),
      }),
    ),
  ),
  ports: nullable(
    Type.Array(
      Type.Object({ name: nullable(Type.String()), port: nullable(Type.Integer({ minimum: 1 })) }),
    ),
  ),
})

type SliceObject = Static<typeof SliceSchema>

/** An EndpointSlice of a service, as far as it matters here. */
export type Slice = {
  readonly name: string
  readonly addressType: string | undefined
  readonly endpoints: NonNullable<SliceObject['endpoints']>
  readonly ports: NonNullable<SliceObject['ports']>
}

/** Undefined if it is none. */
export function readSlice(object: unknown): Slice | undefined {
  if (!Check(SliceSchema, object)) return undefined
  const { metadata, addressType, endpoints, ports } = object
  return { name: metadata.name, addressType, endpoints: endpoints ?? [], ports: ports ?? [] }
}

/**
 * The endpoints that serve: ready, and not about to end. An unknown state counts as ready. A pod
 * with addresses of both families is one engine: only slices of one family are used.
 */
export function endpointsOf(
  slices: readonly Slice[],
  port: string | undefined,
  scheme: string,
): Endpoint[] {
  /** By pod: while slices are rebalanced an endpoint may be in two of them. */
  const urls = new Map<string, string>()
  for (const slice of ofOneFamily(slices)) {
    const serving = slice.endpoints.filter(
      ({ conditions }) => conditions?.ready !== false && conditions?.terminating !== true,
    )
    if (serving.length === 0) continue
    const number = portOf(slice, port)
    // All addresses of an endpoint lead to the same pod.
    for (const { addresses, targetRef } of serving) {
      const url = urlOf(scheme, addresses[0] ?? '', number)
      urls.set(targetRef?.uid ?? url, url)
    }
  }
  return [...new Set(urls.values())].map((url) => ({ url }))
}

/** Those of IPv4 if there are any with endpoints, ready or not. */
function ofOneFamily(slices: readonly Slice[]): readonly Slice[] {
  const four = slices.filter(({ addressType }) => addressType === 'IPv4')
  return four.some(({ endpoints }) => endpoints.length > 0) ? four : slices
}

function portOf({ ports }: Slice, wanted: string | undefined): number {
  const found = ports.filter(({ name, port }) =>
    wanted === undefined ? true : name === wanted || `${port}` === wanted,
  )
  const [first] = found
  if (found.length !== 1 || first?.port == null)
    throw new UnreadableSource('the service does not have exactly one such port')
  return first.port
}

function urlOf(scheme: string, address: string, port: number): string {
  const url = `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`
  if (!URL.canParse(url)) throw new UnreadableSource('an address is not one')
  return url
}
