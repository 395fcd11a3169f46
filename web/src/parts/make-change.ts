import type { UseMutationResult } from '@tanstack/react-query'
import type { Fault } from '../api/fault.ts'
import { say } from './toast.tsx'

/** The change that a dialog makes, and what follows when it is done. */
export type Making<Answer, Sent> = {
  /** Of `useChange`. */
  readonly change: UseMutationResult<Answer, Fault, Sent>
  readonly input: NoInfer<Sent>
  /** What is said when it is done, if anything. */
  readonly done?: string | ((answer: Answer) => string)
  readonly onClose: () => void
  /** In place of closing, such as going to another page. */
  readonly onDone?: (answer: Answer) => void
}

/** A page that is being left keeps its dialog for a moment: a second press must do nothing. */
export function isBusy<Answer, Sent>({ change, onDone }: Making<Answer, Sent>): boolean {
  return change.isPending || (onDone !== undefined && change.isSuccess)
}

/** Makes the change, says that it is done, and closes the dialog. */
export function makeChange<Answer, Sent>(making: Making<Answer, Sent>): void {
  const { change, input, done, onClose, onDone = onClose } = making
  const onSuccess = (answer: Answer) => {
    if (done !== undefined) say(typeof done === 'string' ? done : done(answer))
    onDone(answer)
  }
  if (!isBusy(making)) change.mutate(input, { onSuccess })
}
