import { sql, type Kysely } from 'kysely'
import { FIRST_ID } from '../postgres/page.ts'
import type { SealedPlace } from '../postgres/sealed-places.ts'
import type { Tables } from '../postgres/tables.ts'

const PAGE_SECRETS = 500

export type SealedSecret = { readonly owner: string; readonly sealed: Buffer }

/** Every sealed secret of one kind, in the order of their owners. */
export async function* readSealedSecrets(
  database: Kysely<Tables>,
  { table, owner, column }: SealedPlace,
): AsyncGenerator<SealedSecret, void> {
  for (let after = FIRST_ID; ;) {
    const { rows } = await sql<SealedSecret>`
      select ${sql.ref(owner)} as owner, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where ${sql.ref(owner)} > ${after} and ${sql.ref(column)} is not null
      order by ${sql.ref(owner)} limit ${PAGE_SECRETS}`.execute(database)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.owner
  }
}

/** Replaces sealed bytes, unless somebody changed them meanwhile. Returns whether it did. */
export async function replaceSealedSecret(
  database: Kysely<Tables>,
  { table, owner, column }: SealedPlace,
  secret: SealedSecret,
  sealedAnew: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealedAnew}
    where ${sql.ref(owner)} = ${secret.owner} and ${sql.ref(column)} = ${secret.sealed}`.execute(
    database,
  )
  return numAffectedRows === 1n
}
