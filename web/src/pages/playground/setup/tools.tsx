import { Braces, Pencil, Plus, Wrench, X } from 'lucide-react'
import { useState } from 'react'
import { TOOLS_MAX } from '../../../../../src/contract/chat-bounds.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Select } from '../../../parts/field.tsx'
import { playground } from '../../../words/playground.ts'
import type { Talk } from '../talk.ts'
import { JsonDialog } from './json-dialog.tsx'
import { readSchema, readTool, type SchemaFormat, type ToolFunction } from './read-json.ts'
import type { SetupProps } from './settings-panel.tsx'
import { SCHEMA_EXAMPLE, TOOL_EXAMPLE } from './examples.ts'
import styles from './setup.module.css'

const words = playground.setup

/** The tools of the request, each as JSON that is checked as the API checks it. */
export function Tools({
  talk,
  tools,
  search,
  onChange,
}: Pick<SetupProps, 'talk' | 'search' | 'onChange'> & { readonly tools: readonly ToolFunction[] }) {
  // The number of the tool that is edited; as many as there are means a new one.
  const [edited, setEdited] = useState<number | null>(null)
  return (
    <div className="field">
      <span className="label">{words.tools}</span>
      {tools.map((tool, index) => (
        <div key={index} className={styles.toolrow}>
          <Wrench size={14} aria-hidden />
          <span className="mono cut grow">{tool.name}</span>
          <IconButton label={words.editTool(tool.name)} onClick={() => setEdited(index)}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton
            label={words.removeTool(tool.name)}
            onClick={() => talk.change({ tools: tools.toSpliced(index, 1) })}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      {tools.length < TOOLS_MAX && (
        <div>
          <Button look="ghost" size="sm" onClick={() => setEdited(tools.length)}>
            <Plus size={14} aria-hidden /> {words.addTool}
          </Button>
        </div>
      )}
      {tools.length > 0 && (
        <Select
          label={words.choice}
          value={search.tool_choice ?? 'auto'}
          options={[
            ...Object.entries(words.choices).map(([value, label]) => ({ value, label })),
            ...tools.map(({ name }) => ({ value: name, label: name })),
          ]}
          onChange={(value) => onChange({ tool_choice: value === 'auto' ? undefined : value })}
        />
      )}
      {edited !== null && (
        <JsonDialog
          title={playground.json.tool}
          hint={playground.json.toolHint}
          value={tools[edited] ?? TOOL_EXAMPLE}
          read={readTool}
          onClose={() => setEdited(null)}
          onSave={(tool) => talk.change({ tools: tools.toSpliced(edited, 1, tool) })}
        />
      )}
    </div>
  )
}

export function SchemaRow({
  talk,
  schema,
}: {
  readonly talk: Talk
  readonly schema: SchemaFormat | null
}) {
  const [open, setOpen] = useState(false)
  return (
    <div className="field">
      <span className="label">{words.schema}</span>
      <div className={styles.toolrow}>
        <Braces size={14} aria-hidden />
        <span className={schema === null ? 'cut grow ink-3' : 'mono cut grow'}>
          {schema?.name ?? words.noSchema}
        </span>
        <IconButton label={words.editSchema} onClick={() => setOpen(true)}>
          <Pencil size={14} aria-hidden />
        </IconButton>
      </div>
      {open && (
        <JsonDialog
          title={playground.json.schema}
          hint={playground.json.schemaHint}
          value={schema ?? SCHEMA_EXAMPLE}
          read={readSchema}
          onClose={() => setOpen(false)}
          onSave={(value) => talk.change({ schema: value })}
        />
      )}
    </div>
  )
}
