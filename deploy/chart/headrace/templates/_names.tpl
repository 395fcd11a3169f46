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

{{/* The keys of the Secret that become files, with those of the engines, as a JSON list. */}}
{{- define "headrace.secretKeys" -}}
{{- $keys := concat (list "HEADRACE_DATABASE_URL" "HEADRACE_VALKEY_URL") .Values.secretKeys -}}
{{- range .Values.config.engines }}
{{- with .api_key_env }}{{ $keys = append $keys . }}{{ end }}
{{- end -}}
{{- uniq $keys | toJson -}}
{{- end }}
