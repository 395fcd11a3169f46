/**
 * Returns the memory at once. The garbage collector would find it only after tens of megabytes more
 * had been allocated. For buffers with memory of their own, which then have no bytes any more.
 */
export function freeBuffer({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
