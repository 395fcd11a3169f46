{{/*
The Services are called NAME and NAME-web. Services called headrace-api or headrace-console would set
variables such as HEADRACE_API_PORT in every pod of the namespace.
*/}}
{{- define "headrace.name" -}}
{{- $name := printf "%s-%s" .Release.Name .Chart.Name -}}
{{- if contains .Chart.Name .Release.Name }}{{ $name = .Release.Name }}{{ end -}}
{{- if has $name (list "headrace-api" "headrace-console") -}}
{{- printf "choose another release name than %s" $name | fail -}}
{{- end -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "headrace.selector" -}}
app.kubernetes.io/name: headrace
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "headrace.labels" -}}
{{ include "headrace.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "headrace.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/*
The keys of the Secret that become files of a component, as a JSON list. Each component has only those
that it reads (src/config/secrets-of.ts). What is no key of Headrace is the key of an engine. Takes
root and component.
*/}}
{{- define "headrace.secretKeys" -}}
{{- $read := dict
  "api" (list "HEADRACE_SIGNING_KEY" "HEADRACE_ACCEPTED_SIGNING_KEYS" "HEADRACE_CONTENT_KEY"
    "HEADRACE_ACCEPTED_CONTENT_KEYS" "HEADRACE_TRACING_HEADERS")
  "worker" (list)
  "console" (list "HEADRACE_SIGNING_KEY" "HEADRACE_ACCEPTED_SIGNING_KEYS" "HEADRACE_CONTENT_KEY"
    "HEADRACE_SMTP_URL" "HEADRACE_STRIPE_KEY" "HEADRACE_STRIPE_WEBHOOK_SECRETS")
  "migrate" (list) -}}
{{- $known := concat $read.api $read.console -}}
{{- $asksEngines := has .component (list "api" "worker") -}}
{{- $listed := .root.Values.secretKeys -}}
{{- range .root.Values.config.engines }}
{{- with .api_key_env }}{{ $listed = append $listed . }}{{ end }}
{{- end -}}
{{- $keys := list "HEADRACE_DATABASE_URL" "HEADRACE_VALKEY_URL" -}}
{{- range $listed -}}
{{- if has . (get $read $.component) }}{{ $keys = append $keys . }}
{{- else if and $asksEngines (not (has . $known)) }}{{ $keys = append $keys . }}
{{- end -}}
{{- end -}}
{{- uniq $keys | toJson -}}
{{- end }}
