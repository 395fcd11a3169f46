export type TarFile = { readonly name: string; readonly content: string }

const BLOCK_BYTES = 512
const NAME_BYTES_MAX = 100
const CHECKSUM_AT = 148

/** Packs files as a POSIX archive (ustar), readable by their owner only. */
export function packTar(files: readonly TarFile[], modifiedMs: number): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content)
    const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)
    return [headerOf(name, bytes.length, modifiedMs), bytes, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)])
}

function headerOf(name: string, size: number, modifiedMs: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw new RangeError('the file name is too long')
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(Math.floor(modifiedMs / 1000), 11), 136)
  // The checksum is computed with spaces in its own place.
  header.write(' '.repeat(8), CHECKSUM_AT)
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, CHECKSUM_AT)
  return header
}
