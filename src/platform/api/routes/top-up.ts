import {
  AutomaticTopUp,
  AutomaticTopUpChange,
} from '../../../contract/payments/automatic-top-up.ts'
import { changeTopUp } from '../../payments/top-up/change-top-up.ts'
import { resumeTopUp } from '../../payments/top-up/resume-top-up.ts'
import { showTopUp } from '../../payments/top-up/show-top-up.ts'
import { defineRoute, type Route } from '../route.ts'

const TOP_UP = '/organizations/{organization}/automatic-top-up'

export const TOP_UP_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: TOP_UP,
    summary: 'Show automatic top-up: its numbers, what this month has used, and why it is paused.',
    does: showTopUp,
    needs: 'payments',
    status: 200,
    answer: AutomaticTopUp,
    input: inputOf,
  }),
  defineRoute({
    method: 'PUT',
    path: TOP_UP,
    summary:
      'Turn automatic top-up on, with three amounts and the version of the text that was agreed ' +
      'to, change it, or turn it off. It needs a card that was kept.',
    does: changeTopUp,
    needs: 'payments',
    body: AutomaticTopUpChange,
    status: 200,
    answer: AutomaticTopUp,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { enabled: false } },
  }),
  defineRoute({
    method: 'POST',
    path: `${TOP_UP}/resume`,
    summary: 'Go on after a pause. A charge that waits for a confirmation is cancelled.',
    does: resumeTopUp,
    needs: 'payments',
    status: 200,
    answer: AutomaticTopUp,
    input: inputOf,
  }),
]

function inputOf({ path }: { readonly path: Readonly<Record<string, string>> }) {
  return { organization: path['organization']! }
}
