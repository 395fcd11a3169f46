import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { migrate } from '../../../src/store/postgres/migrate.ts'

const THIS = new URL('../../../migrations/', import.meta.url)
const NEXT = new URL('next-release/', import.meta.url)

/** Applies the migrations of a next release, which come after those of this one. */
export async function migrateToNextRelease(databaseUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-next-'))
  try {
    for (const from of [THIS, NEXT]) await cp(from, folder, { recursive: true })
    const applied = await migrate(databaseUrl, pathToFileURL(`${folder}/`))
    const expected = await readdir(NEXT)
    if (applied.length !== expected.length) throw new Error(`applied only ${applied.join()}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Makes the index of a large table before migrating, as operators do. */
export async function makeIndexByHand(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'psql' })
  await client.connect()
  try {
    const { rows } = await client.query<{ partition: string }>(
      `select inhrelid::regclass::text as partition from pg_inherits
       where inhparent = 'usage_records'::regclass`,
    )
    for (const { partition } of rows)
      await client.query(`create index concurrently on ${partition} (organization_id, model, id)`)
  } finally {
    await client.end()
  }
}
