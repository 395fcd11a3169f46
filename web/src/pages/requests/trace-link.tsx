/** To the operator's tracing system, so it opens beside the console. */
export function TraceLink({ url, text }: { readonly url: string; readonly text: string }) {
  return (
    <a className="link" href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}
