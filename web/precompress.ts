import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** The others, such as fonts and pictures, are compressed already. */
const COMPRESSIBLE = ['.css', '.js', '.json', '.svg', '.txt', '.webmanifest']
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/**
 * Writes every text of the build also as .br and .gz, so that the console compresses nothing while
 * it serves. index.html is left out: the console writes it when it starts.
 */
export async function precompressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && isCompressible(entry.name))
  await Promise.all(files.map((entry) => compressFile(join(entry.parentPath, entry.name))))
}

function isCompressible(name: string): boolean {
  return COMPRESSIBLE.includes(extname(name))
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path)
  const forms = [
    ['.br', await toBrotli(bytes, QUALITY)],
    ['.gz', await toGzip(bytes, { level: 9 })],
  ] as const
  for (const [suffix, compressed] of forms)
    if (compressed.length < bytes.length) await writeFile(`${path}${suffix}`, compressed)
}
