import type { Role } from '../../../../src/tenancy/role.ts'
import type { Answer } from '../../../harness/processes/console.ts'
import type { Scene } from './scene.ts'

/** What a thing gave when it was used. */
export type Given = { readonly gives: boolean; readonly said: string }

/** A thing as its maker has it. */
export type Made = {
  /** Whether it works before the loss, without using it up; default: `use`. */
  before?(): Promise<Given>
  use(): Promise<Given>
}

/** Something that an owner was given or has set up, which works without asking them again. */
export type Thing = {
  readonly name: string
  /** With these roles its maker keeps it. */
  readonly keptBy: readonly Role[]
  /** It belongs to the organization and ends with it; or only the named losses leave it. */
  readonly outlives?: 'maker' | readonly string[]
  /** It takes long: all such cases run at once. */
  readonly slow?: true
  make(scene: Scene): Promise<Made>
}

export function givenBy({ status, text }: Pick<Answer, 'status' | 'text'>): Given {
  return { gives: status < 300, said: `${status} ${text.slice(0, 200)}` }
}
