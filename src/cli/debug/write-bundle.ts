import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { OperatorError } from '../../lib/operator-error.ts'
import { packTar, type TarFile } from '../../lib/tar.ts'

/** Writes the archive, and lists its files on standard error, so that one can look first. */
export async function writeBundle(
  files: readonly TarFile[],
  output: string | undefined,
): Promise<void> {
  const now = new Date()
  const time = now.toISOString().replaceAll(/\.\d+|[:-]/g, '')
  const folder = `headrace-debug-${time}`
  const inFolder = files.map(({ name, content }) => ({ name: `${folder}/${name}`, content }))
  const archive = gzipSync(packTar(inFolder, now.getTime()))
  if (output === '-') process.stdout.write(archive)
  else {
    const file = output ?? `${folder}.tar.gz`
    await writeFile(file, archive, { mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
      throw new OperatorError(`the archive cannot be written (${cause.code})`, { cause })
    })
    console.error(`wrote ${file}`)
  }
  for (const { name, content } of files) console.error(`  ${name}, ${content.length} characters`)
}
