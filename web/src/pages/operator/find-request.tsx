import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { operator } from '../../words/operator.ts'

const words = operator.overview

export function FindRequest() {
  const [open, setOpen] = useState(false)
  const [id, setId] = useState('')
  const navigate = useNavigate()
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Search size={16} aria-hidden /> {words.findRequest}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={words.findRequest}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const request = id.trim()
            if (request !== '')
              void navigate({ to: '/operator/requests/$request', params: { request } })
          }}
        >
          <DialogBody>
            <TextField
              label={words.requestId}
              hint={words.requestHint}
              value={id}
              required
              spellCheck={false}
              onChange={(event) => setId(event.currentTarget.value)}
            />
          </DialogBody>
          <DialogFoot>
            <Button onClick={() => setOpen(false)}>{everywhere.cancel}</Button>
            <Button type="submit" look="primary">
              {words.find}
            </Button>
          </DialogFoot>
        </form>
      </Dialog>
    </>
  )
}
