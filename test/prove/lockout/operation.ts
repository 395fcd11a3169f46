import type { Scene } from './scene.ts'

/** Something documented that people do with secrets, domains, factors, roles or SSO rules. */
export type Operation = {
  readonly name: string
  /** Routes, commands and settings that it uses. */
  readonly covers: readonly string[]
  /** It takes a way in from somebody on purpose or by mishap: a command may have to help. */
  readonly needsRescue?: true
  /** With it, what the old signing key sealed answers 503, as documented. */
  readonly breaksSeals?: true
  /** Refusals are fine: what counts is who gets in afterwards. */
  run(scene: Scene): Promise<void>
}
