import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Answer, type Input, type RouteName } from './call.ts'
import { Fault } from './fault.ts'

type State<Value> = {
  readonly busy: boolean
  readonly fault: Fault | null
  readonly answer: Value | null
}

/**
 * Makes a change whose answer holds a secret. The answer is in this component's state and in no
 * cache; `forget` drops it.
 */
export function useSecretChange<Name extends RouteName>(
  name: Name,
  refreshes: readonly RouteName[],
) {
  const queries = useQueryClient()
  const start: State<Answer<Name>> = { busy: false, fault: null, answer: null }
  const [state, setState] = useState(start)
  return {
    ...state,
    make(input: Input<Name>): void {
      setState({ ...start, busy: true })
      call(name, input).then(
        (answer) => {
          setState({ ...start, answer })
          for (const route of refreshes) void queries.invalidateQueries({ queryKey: [route] })
        },
        (error: unknown) => {
          if (!(error instanceof Fault)) throw error
          setState({ ...start, fault: error })
        },
      )
    },
    forget: () => setState(start),
  }
}
