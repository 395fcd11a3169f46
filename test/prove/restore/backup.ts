import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { waitUntil } from '../../harness/figures/measure.ts'
import { startPostgres, type PostgresServer } from '../../harness/servers/postgres-server.ts'

const TIMEOUT_MS = 30_000
/** Names of WAL segments; the archive has others, of timelines and backups. */
const SEGMENT = /^[0-9A-F]{24}/

/** A PostgreSQL server with continuous archiving, and its backups. */
export type ArchivedPostgres = AsyncDisposable & {
  readonly server: PostgresServer
  /** What `pg_basebackup` does: copies the files between the start and the stop of a backup. */
  backUp(): Promise<void>
  /** Ends the current WAL segment, as `archive_timeout` does, and waits until it is archived. */
  archive(): Promise<void>
  /** Loses the disk of the killed server; starts from the base backup and the archived WAL. */
  restore(): Promise<void>
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-restore-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const [wal, base] = [join(folder, 'wal'), join(folder, 'base')]
  await mkdir(wal)
  // The server may run as another user than we do.
  for (const each of [folder, wal]) await chmod(each, 0o777)
  const settings = [
    'archive_mode=on',
    `archive_command=cp %p ${wal}/%f`,
    `restore_command=cp ${wal}/%f %p`,
  ]
  const server = starting.use(await startPostgres({ durable: true, logStatements: true, settings }))
  const [{ folder: data }] = await ask<[{ folder: string }]>(
    server.url,
    `select current_setting('data_directory') as folder`,
  )
  const running = starting.move()
  return {
    server,
    backUp: () => copyBase(server.url, data, base),
    archive: () => archive(server.url, wal),
    async restore() {
      await rm(data, { recursive: true })
      execFileSync('cp', ['-a', base, data])
      await writeAs(data, 'recovery.signal', '')
      await server.start()
      const isOver = async () => {
        const statement = 'select not pg_is_in_recovery() as over'
        const [{ over }] = await ask<[{ over: boolean }]>(server.url, statement)
        return over
      }
      await waitUntil('the recovery to end', isOver, TIMEOUT_MS)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function copyBase(url: string, data: string, base: string): Promise<void> {
  await rm(base, { recursive: true, force: true })
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_backup_start('proof', fast => true)`)
  execFileSync('cp', ['-a', data, base])
  const { rows } = await client.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop()',
  )
  await client.end()
  for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(base, name))
  for (const name of await readdir(join(base, 'pg_wal')))
    if (SEGMENT.test(name)) await rm(join(base, 'pg_wal', name))
  await writeAs(base, 'backup_label', rows[0]?.labelfile ?? '')
}

/** Writes a file that belongs to the owner of the folder. */
async function writeAs(folder: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(folder)
  await writeFile(join(folder, name), text)
  await chown(join(folder, name), uid, gid)
}

async function archive(url: string, wal: string): Promise<void> {
  const [{ segment }] = await ask<[{ segment: string }]>(
    url,
    'select pg_walfile_name(pg_switch_wal()) as segment',
  )
  const isArchived = async () => {
    const statement = 'select last_archived_wal as last from pg_stat_archiver'
    const [{ last }] = await ask<[{ last: string | null }]>(url, statement)
    return (await readdir(wal)).includes(segment) && (last ?? '') >= segment
  }
  await waitUntil(`${segment} to be archived`, isArchived, TIMEOUT_MS)
}

async function ask<Rows>(url: string, statement: string): Promise<Rows> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows as Rows
  } finally {
    await client.end()
  }
}
