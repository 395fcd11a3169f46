import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Compiling is most of a start: tests of commands and some proofs start dozens of processes. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'headrace-compiled') }
